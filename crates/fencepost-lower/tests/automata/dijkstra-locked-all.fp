domain 3;
global mem_0;
global mem_1;
global mem_2;

thread t0 {
  local k, r;
  L0:
  atomic {
    mem_1.store(1, rlx);
  }
  L3:
  k = mem_0.load(rlx);
  if (k == 0) goto L9;
  r = mem_2.load(rlx);
  if (r != 0) goto L3;
  mem_0.store(0, rlx);
  goto L3;
  L9:
  atomic {
    mem_1.store(2, rlx);
  }
  r = mem_2.load(rlx);
  if (r == 2) goto L0;
  mem_1.store(0, rlx);
  goto L0;
}

thread t1 {
  local k, r;
  L0:
  atomic {
    mem_2.store(1, rlx);
  }
  L3:
  k = mem_0.load(rlx);
  if (k == 1) goto L9;
  r = mem_1.load(rlx);
  if (r != 0) goto L3;
  mem_0.store(1, rlx);
  goto L3;
  L9:
  atomic {
    mem_2.store(2, rlx);
  }
  r = mem_1.load(rlx);
  if (r == 2) goto L0;
  mem_2.store(0, rlx);
  goto L0;
}
