//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra violation kind=stale-rmw states=8
//: rc20 robust states=8
//: cpp20 robust states=8
// Store buffering with blocking SC compare-and-swaps from the initial value: at most one of them
// succeeds.
name "sb+sc-bcas";
domain 4;
global x, y;

thread left {
  x.store(1, sc);
  y.bcas(0, 2, sc);
}

thread right {
  y.store(1, sc);
  x.bcas(0, 2, sc);
}
