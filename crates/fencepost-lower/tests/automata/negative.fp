domain 8;
global mem__2;
global mem__1;
global mem_5;

thread left {
  local r, s;
  L0:
  r = int(r - (r > 4) * 8 - 1);
  if (int(r - (r > 4) * 8) > int(-2)) goto L0;
  mem__1.store(int(r - (r > 4) * 8), rlx);
  s = mem__2.load(rlx);
}

thread right {
  local r;
  mem__2.store(int(-3), rlx);
  r = mem__1.load(rlx);
  assume(int(r - (r > 4) * 8) < 0);
  mem_5.store(int((r - (r > 4) * 8) * (r - (r > 4) * 8)), rlx);
}
