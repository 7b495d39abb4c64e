//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra violation states=14
//: rc20 violation states=14
//: cpp20 violation states=14
// As sb+cas-consumed with weak compare-and-swaps. A weak one may fail for no reason after reading
// the very value it hoped for, so here it is a plain stale load of 0.
name "sb+casw-consumed";
domain 4;
global x, y;

thread left {
  local r;
  x.xchg(1, acqrel);
  r = y.casw(0, 2, acqrel, acq);
}

thread right {
  local r;
  y.xchg(1, acqrel);
  r = x.casw(0, 2, acqrel, acq);
}
