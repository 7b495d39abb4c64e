name "polls";
domain 2;
global x, y;

thread left {
  local r;
  while (1) {
    x.store(1, rlx);
    r = y.load(rlx);
  }
}

thread right {
  local r;
  y.store(1, rlx);
  r = x.load(rlx);
}
