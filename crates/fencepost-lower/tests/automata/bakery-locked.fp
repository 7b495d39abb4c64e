domain 65536;
global mem_1;
global mem_2;
global mem_3;
global mem_4;

thread t0 {
  local other, mine, r;
  L0:
  atomic {
    mem_1.store(1, rlx);
  }
  other = mem_4.load(rlx);
  bound(int(other + 1) <= 65535);
  mem_3.store(int(other + 1), rlx);
  bound(int(other + 1) <= 65535);
  mine = int(other + 1);
  atomic {
    mem_1.store(0, rlx);
  }
  L11:
  r = mem_2.load(rlx);
  if (r != 0) goto L11;
  L13:
  r = mem_4.load(rlx);
  choose {
    goto L15;
  } or {
    goto L18;
  } or {
    goto L20;
  }
  L15:
  assume(r == 0);
  L16:
  mem_3.store(0, rlx);
  goto L0;
  L18:
  assume(mine <= r);
  goto L16;
  L20:
  assume(r != 0 && mine > r);
  goto L13;
}

thread t1 {
  local other, mine, r;
  L0:
  atomic {
    mem_2.store(1, rlx);
  }
  other = mem_3.load(rlx);
  bound(int(other + 1) <= 65535);
  mem_4.store(int(other + 1), rlx);
  bound(int(other + 1) <= 65535);
  mine = int(other + 1);
  atomic {
    mem_2.store(0, rlx);
  }
  L11:
  r = mem_1.load(rlx);
  if (r != 0) goto L11;
  L13:
  r = mem_3.load(rlx);
  choose {
    goto L15;
  } or {
    goto L18;
  } or {
    goto L20;
  }
  L15:
  assume(r == 0);
  L16:
  mem_4.store(0, rlx);
  goto L0;
  L18:
  assume(mine < r);
  goto L16;
  L20:
  assume(r != 0 && mine >= r);
  goto L13;
}
