//: tso robust states=36
//: pso robust states=38
//: pgas robust states=38
//: ra robust states=12
//: rc20 robust states=12
//: cpp20 robust states=12
// As wait-either, but the right thread accepts the last value of x or one that never comes:
// nothing stale satisfies it.
name "wait-either+last";
domain 4;
global x, y;

thread left {
  local r;
  x.store(1, rel);
  x.store(2, rel);
  r = y.load(acq);
}

thread right {
  local r;
  y.store(1, rel);
  r = wait(x == 2 || x == 3, acq);
  assert(r == 2);
}
