//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=13
//: rc20 robust states=13
//: cpp20 robust states=13
// Store buffering where every access is an update, and all are relaxed. Atomicity is all it takes:
// an overwritten value has been consumed by the update that follows it, and no other update can
// have it.
name "sb+all-rmws-rlx";
domain 2;
global x, y;

thread left {
  local r;
  x.xchg(1, rlx);
  r = y.fadd(0, rlx);
}

thread right {
  local r;
  y.xchg(1, rlx);
  r = x.fadd(0, rlx);
}
