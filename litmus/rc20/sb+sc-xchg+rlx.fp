//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra violation shape=SB states=10
//: rc20 violation shape=SB states=10
//: cpp20 violation shape=SB states=10
// Store buffering with SC exchanges in place of the stores, and relaxed loads. Even an SC update is
// no fence.
name "sb+sc-xchg+rlx";
domain 2;
global x, y;

thread left {
  local r;
  x.xchg(1, sc);
  r = y.load(rlx);
}

thread right {
  local r;
  y.xchg(1, sc);
  r = x.load(rlx);
}
