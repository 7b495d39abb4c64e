//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=13
//: rc20 robust states=13
//: cpp20 robust states=13
// The S shape with relaxed accesses, a release fence and an acquire fence.
name "s+fences";
domain 4;
global x, y;

thread left {
  x.store(2, rlx);
  fence(rel);
  y.store(1, rlx);
}

thread right {
  local r;
  r = y.load(rlx);
  fence(acq);
  x.store(1, rlx);
}
