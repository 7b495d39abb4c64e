domain 65536;
global mem_1;
global mem_2;
global mem_3;
global mem_4;

thread t0 {
  local other, mine, r;
  L0:
  mem_1.store(1, rlx);
  other = mem_4.load(rlx);
  bound(int(other + 1) <= 65535);
  mem_3.store(int(other + 1), rlx);
  bound(int(other + 1) <= 65535);
  mine = int(other + 1);
  mem_1.store(0, rlx);
  L7:
  r = mem_2.load(rlx);
  if (r != 0) goto L7;
  L9:
  r = mem_4.load(rlx);
  choose {
    goto L11;
  } or {
    goto L14;
  } or {
    goto L16;
  }
  L11:
  assume(r == 0);
  L12:
  mem_3.store(0, rlx);
  goto L0;
  L14:
  assume(mine <= r);
  goto L12;
  L16:
  assume(r != 0 && mine > r);
  goto L9;
}

thread t1 {
  local other, mine, r;
  L0:
  mem_2.store(1, rlx);
  other = mem_3.load(rlx);
  bound(int(other + 1) <= 65535);
  mem_4.store(int(other + 1), rlx);
  bound(int(other + 1) <= 65535);
  mine = int(other + 1);
  mem_2.store(0, rlx);
  L7:
  r = mem_1.load(rlx);
  if (r != 0) goto L7;
  L9:
  r = mem_3.load(rlx);
  choose {
    goto L11;
  } or {
    goto L14;
  } or {
    goto L16;
  }
  L11:
  assume(r == 0);
  L12:
  mem_4.store(0, rlx);
  goto L0;
  L14:
  assume(mine < r);
  goto L12;
  L16:
  assume(r != 0 && mine >= r);
  goto L9;
}
