domain 65536;
global mem_0;
global mem_1;
global mem_2;

thread left {
  local t, r;
  L0:
  atomic {
    t = mem_0.load(rlx);
    bound(int(t + 1) <= 65535);
    mem_0.store(int(t + 1), rlx);
  }
  mem_1.store(1, rlx);
  r = mem_2.load(rlx);
  assume(r == 0);
  mem_1.store(0, rlx);
  goto L0;
}

thread right {
  local t, r;
  L0:
  atomic {
    t = mem_0.load(rlx);
    bound(int(t + 1) <= 65535);
    mem_0.store(int(t + 1), rlx);
  }
  mem_2.store(1, rlx);
  r = mem_1.load(rlx);
  assume(r == 0);
  mem_2.store(0, rlx);
  goto L0;
}
