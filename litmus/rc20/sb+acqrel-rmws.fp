//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=26
//: rc20 robust states=26
//: cpp20 robust states=26
// Store buffering with relaxed accesses and an acquire-release fetch-and-add of 0 on one shared
// location between them. The later of the two updates synchronises with the earlier one: an SC
// fence made by hand. (A real one is also an acquire and a release fence.)
name "sb+acqrel-rmws";
domain 2;
global x, y, f;

thread left {
  local r;
  x.store(1, rlx);
  f.fadd(0, acqrel);
  r = y.load(rlx);
}

thread right {
  local r;
  y.store(1, rlx);
  f.fadd(0, acqrel);
  r = x.load(rlx);
}
