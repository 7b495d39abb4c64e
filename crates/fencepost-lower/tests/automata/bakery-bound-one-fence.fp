domain 4;
global mem_1;
global mem_2;
global mem_3;
global mem_4;

thread t0 {
  local other, mine, r;
  L0:
  mem_1.store(1, rlx);
  fence(sc);
  other = mem_4.load(rlx);
  assume(other < 3);
  mem_3.store(int(other + 1), rlx);
  mine = int(other + 1);
  mem_1.store(0, rlx);
  L7:
  r = mem_2.load(rlx);
  if (r != 0) goto L7;
  L9:
  r = mem_4.load(rlx);
  if (r == 0) goto L13;
  if (mine <= r) goto L13;
  goto L9;
  L13:
  mem_3.store(0, rlx);
  goto L0;
}

thread t1 {
  local other, mine, r;
  L0:
  mem_2.store(1, rlx);
  fence(sc);
  other = mem_3.load(rlx);
  assume(other < 3);
  mem_4.store(int(other + 1), rlx);
  mine = int(other + 1);
  mem_2.store(0, rlx);
  L7:
  r = mem_1.load(rlx);
  if (r != 0) goto L7;
  L9:
  r = mem_3.load(rlx);
  if (r == 0) goto L13;
  if (mine < r) goto L13;
  goto L9;
  L13:
  mem_4.store(0, rlx);
  goto L0;
}
