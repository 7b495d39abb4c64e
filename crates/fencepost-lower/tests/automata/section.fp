domain 65536;
global mem_0;
global mem_1;
global mem_2;

thread bank {
  mem_0.store(3, rlx);
  mem_2.store(1, rlx);
}

thread transfer {
  local go, a, b;
  L0:
  go = mem_2.load(rlx);
  if (go == 0) goto L0;
  atomic {
    a = mem_0.load(rlx);
    mem_0.store(0, rlx);
    b = mem_1.load(rlx);
    bound(int(a + b) <= 65535);
    mem_1.store(int(a + b), rlx);
  }
}

thread audit {
  local a, b;
  atomic {
    a = mem_0.load(rlx);
    b = mem_1.load(rlx);
    assume(int(a + b) == 3);
  }
}
