name "bound";
global x, y;

thread count {
  local n, r;
  while (1) {
    n = n + 1;
    bound(n < 10);
    x.store(n, rlx);
    r = y.load(rlx);
  }
}

thread look {
  local r;
  wait(x == 20, rlx);
  y.store(1, rlx);
}
