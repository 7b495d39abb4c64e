domain 65536;
global mem_0;

thread count {
  local r;
  L0:
  atomic {
    r = mem_0.load(rlx);
    bound(int(r + 1) <= 65535);
    mem_0.store(int(r + 1), rlx);
  }
  goto L0;
}
