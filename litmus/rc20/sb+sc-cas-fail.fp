//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra violation states=10
//: rc20 robust states=13
//: cpp20 robust states=13
// Store buffering where the loads are SC compare-and-swaps that fail, with an SC failure order.
name "sb+sc-cas-fail";
domain 4;
global x, y;

thread left {
  local r;
  x.store(1, sc);
  r = y.cas(2, 3, sc, sc);
}

thread right {
  local r;
  y.store(1, sc);
  r = x.cas(2, 3, sc, sc);
}
