//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=13
//: rc20 robust states=13
//: cpp20 robust states=13
// As sb+bcas-consumed with strong compare-and-swaps that may fail. To fail they must read
// something other than 0, which is the newest value; to succeed on the stale 0 they would have to
// share it with the exchange.
name "sb+cas-consumed";
domain 4;
global x, y;

thread left {
  local r;
  x.xchg(1, acqrel);
  r = y.cas(0, 2, acqrel, acq);
}

thread right {
  local r;
  y.xchg(1, acqrel);
  r = x.cas(0, 2, acqrel, acq);
}
