//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=26
//: rc20 violation states=16
//: cpp20 violation states=16
// Store buffering with a relaxed fetch-and-add of 0 on one shared location between store and load.
// Under release/acquire it is a fence (see sb+rmws); a relaxed update orders nothing.
name "sb+rlx-rmws";
domain 2;
global x, y, f;

thread left {
  local r;
  x.store(1, rlx);
  f.fadd(0, rlx);
  r = y.load(rlx);
}

thread right {
  local r;
  y.store(1, rlx);
  f.fadd(0, rlx);
  r = x.load(rlx);
}
