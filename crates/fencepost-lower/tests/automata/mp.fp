domain 2;
global mem_0;
global mem_1;

thread producer {
  mem_0.store(1, rlx);
  mem_1.store(1, rlx);
}

thread consumer {
  local f, d;
  L0:
  f = mem_1.load(rlx);
  if (f == 0) goto L0;
  d = mem_0.load(rlx);
}
