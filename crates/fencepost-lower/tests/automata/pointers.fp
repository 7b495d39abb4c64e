domain 21;
global mem_1;
global mem[2];

thread left {
  local p, r;
  choose {
    goto L1;
  } or {
    goto L6;
  }
  L1:
  p = 10;
  L2:
  mem_1.store(p, rlx);
  mem[int(p - 10 - (p >= 20) * 9)].store(1, rlx);
  r = mem[int(30 - p - 10 - (30 - p >= 20) * 9)].load(rlx);
  goto L8;
  L6:
  p = 20;
  goto L2;
  L8:
}

thread right {
  local p, r;
  p = mem_1.load(rlx);
  assume(p != 0);
  mem[int(30 - p - 10 - (30 - p >= 20) * 9)].store(1, rlx);
  r = mem[int(p - 10 - (p >= 20) * 9)].load(rlx);
}
