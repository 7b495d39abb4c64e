domain 65536;
global mem_0;
global mem_1;

thread t0 {
  local mine, now;
  L0:
  atomic {
    mine = mem_0.load(rlx);
    bound(int(mine + 1) <= 65535);
    mem_0.store(int(mine + 1), rlx);
  }
  L5:
  now = mem_1.load(rlx);
  if (now != mine) goto L5;
  bound(int(mine + 1) <= 65535);
  mem_1.store(int(mine + 1), rlx);
  goto L0;
}

thread t1 {
  local mine, now;
  L0:
  atomic {
    mine = mem_0.load(rlx);
    bound(int(mine + 1) <= 65535);
    mem_0.store(int(mine + 1), rlx);
  }
  L5:
  now = mem_1.load(rlx);
  if (now != mine) goto L5;
  bound(int(mine + 1) <= 65535);
  mem_1.store(int(mine + 1), rlx);
  goto L0;
}
