//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=8
//: rc20 robust states=8
//: cpp20 robust states=8
// As sb+bcas, but the first accesses are exchanges. Each of them has consumed the initial write,
// and no second update can read it again: a compare-and-swap from 0 that comes too late does not
// succeed.
name "sb+bcas-consumed";
domain 4;
global x, y;

thread left {
  x.xchg(1, acqrel);
  y.bcas(0, 2, acqrel);
}

thread right {
  y.xchg(1, acqrel);
  x.bcas(0, 2, acqrel);
}
