//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=13
//: rc20 robust states=13
//: cpp20 robust states=13
// Load buffering with a value copied in each direction: a cycle would make it come out of thin air.
// No value but 0 is ever there.
name "lb+data";
domain 2;
global x, y;

thread left {
  local r;
  r = x.load(rlx);
  y.store(r, rlx);
}

thread right {
  local r;
  r = y.load(rlx);
  x.store(r, rlx);
  assert(r == 0);
}
