domain 65536;
global mem_0;
global mem_1;

thread left {
  local r, s;
  atomic {
    r = mem_0.load(rlx);
    bound(int(r + 1) <= 65535);
    mem_0.store(int(r + 1), rlx);
  }
  s = mem_1.load(rlx);
}

thread right {
  local r, s;
  atomic {
    r = mem_1.load(rlx);
    bound(int(r + 1) <= 65535);
    mem_1.store(int(r + 1), rlx);
  }
  s = mem_0.load(rlx);
}
