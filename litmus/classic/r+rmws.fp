//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=13
//: rc20 robust states=13
//: cpp20 robust states=13
// The R shape with exchanges in place of the two stores to y. The later exchange reads from the
// earlier one and so synchronises with it: overwriting now means having seen.
name "r+rmws";
domain 4;
global x, y;

thread left {
  x.store(1, rlx);
  y.xchg(1, acqrel);
}

thread right {
  local r;
  y.xchg(2, acqrel);
  r = x.load(rlx);
}
