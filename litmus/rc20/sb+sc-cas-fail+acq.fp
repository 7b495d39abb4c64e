//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra violation states=10
//: rc20 violation states=10
//: cpp20 violation states=10
// As sb+sc-cas-fail with an acquire failure order: it is the failure order that counts when the
// compare-and-swap fails.
name "sb+sc-cas-fail+acq";
domain 4;
global x, y;

thread left {
  local r;
  x.store(1, sc);
  r = y.cas(2, 3, sc, acq);
}

thread right {
  local r;
  y.store(1, sc);
  r = x.cas(2, 3, sc, acq);
}
