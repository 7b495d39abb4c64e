//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=13
//: rc20 robust states=13
//: cpp20 robust states=13
// Load buffering. Under release/acquire a load never reads from a store that comes later in
// happens-before, so not both loads can return 1. (Relaxed accesses in C++ would permit it on
// paper.)
name "lb";
domain 2;
global x, y;

thread left {
  local r;
  r = x.load(acq);
  y.store(1, rel);
}

thread right {
  local r;
  r = y.load(acq);
  x.store(1, rel);
}
