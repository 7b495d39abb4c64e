domain 65536;
global mem_0;
global mem_1;
global mem_2;

thread t0 {
  local mine, now, a, next;
  L0:
  atomic {
    mine = mem_0.load(rlx);
    bound(int(mine + 1) <= 65535);
    mem_0.store(int(mine + 1), rlx);
  }
  L5:
  now = mem_1.load(rlx);
  if (now != mine) goto L5;
  a = mem_2.load(rlx);
  bound(int(a + 1) <= 65535);
  mem_2.store(int(a + 1), rlx);
  bound(int(mine + 1) <= 65535);
  mem_1.store(int(mine + 1), rlx);
  next = mem_0.load(rlx);
  goto L0;
}

thread t1 {
  local mine, now, a, next;
  L0:
  atomic {
    mine = mem_0.load(rlx);
    bound(int(mine + 1) <= 65535);
    mem_0.store(int(mine + 1), rlx);
  }
  L5:
  now = mem_1.load(rlx);
  if (now != mine) goto L5;
  a = mem_2.load(rlx);
  bound(int(a + 1) <= 65535);
  mem_2.store(int(a + 1), rlx);
  bound(int(mine + 1) <= 65535);
  mem_1.store(int(mine + 1), rlx);
  next = mem_0.load(rlx);
  goto L0;
}
