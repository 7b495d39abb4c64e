//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra violation kind=stale-rmw states=8
//: rc20 violation kind=stale-rmw states=8
//: cpp20 violation kind=stale-rmw states=8
// Store buffering with blocking compare-and-swaps from the initial value. Once both stores are
// done they can succeed only on a stale write; release/acquire lets the update slip in right after
// the initial write, before the store.
name "sb+bcas";
domain 4;
global x, y;

thread left {
  x.store(1, rel);
  y.bcas(0, 2, acqrel);
}

thread right {
  y.store(1, rel);
  x.bcas(0, 2, acqrel);
}
