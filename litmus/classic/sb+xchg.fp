//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra violation states=10
//: rc20 violation states=10
//: cpp20 violation states=10
// Store buffering with the stores strengthened to exchanges. Enough on x86, where a locked
// instruction drains the buffer; not under release/acquire, where the loads may still return the
// initial values.
name "sb+xchg";
domain 2;
global x, y;

thread left {
  local r;
  x.xchg(1, acqrel);
  r = y.load(acq);
}

thread right {
  local r;
  y.xchg(1, acqrel);
  r = x.load(acq);
}
