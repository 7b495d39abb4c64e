//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra violation kind=stale-rmw values=0 states=10
//: rc20 violation kind=stale-rmw values=0 states=10
//: cpp20 violation kind=stale-rmw values=0 states=10
// Store buffering where the second access of each thread is a compare-and-swap that expects the
// initial value. Under SC one of the two must find the other's store and fail. Under
// release/acquire both can succeed: each overwrites the initial value, ordered before the
// store it has not seen. Nothing else can go stale: a failing one can only read the last value.
name "store buffering with compare-and-swaps";
domain 3;
global x, y;

thread left {
  x.store(1, rel);
  y.cas(0, 2, acqrel, acq);
}

thread right {
  y.store(1, rel);
  x.cas(0, 2, acqrel, acq);
}
