//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=13
//: rc20 violation states=10
//: cpp20 violation states=10
// The R shape with relaxed exchanges in place of the two stores to y. The later exchange reads from
// the earlier one but does not synchronise with it.
name "r+rmws-rlx";
domain 4;
global x, y;

thread left {
  x.store(1, rlx);
  y.xchg(1, rlx);
}

thread right {
  local r;
  y.xchg(2, rlx);
  r = x.load(rlx);
}
