name "lost";
global x, y;

thread left {
  local r;
  x.store(1);
  r = y.load();
  assert(r == 1);
}

thread right {
  y.store(1);
}
