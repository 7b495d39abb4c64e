//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra violation shape=SB states=10
//: rc20 robust states=13
//: cpp20 robust states=13
// Store buffering with SC exchanges in place of the stores, and SC loads.
name "sb+sc-xchg";
domain 2;
global x, y;

thread left {
  local r;
  x.xchg(1, sc);
  r = y.load(sc);
}

thread right {
  local r;
  y.xchg(1, sc);
  r = x.load(sc);
}
