//: ra robust
//: rc20 violation shape=LB
domain 2;
global x, y;

thread left {
  local r;
  x.store(1, rel);
  r = y.load(acq);
}

thread right {
  local r;
  y.store(1, rel);
  r = x.load(acq);
}
