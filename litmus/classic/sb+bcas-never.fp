//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=4
//: rc20 robust states=4
//: cpp20 robust states=4
// Store buffering with blocking compare-and-swaps from a value nobody writes. They never happen,
// and a thread that is stuck reads nothing.
name "sb+bcas-never";
domain 4;
global x, y;

thread left {
  x.store(1, rel);
  y.bcas(2, 3, acqrel);
}

thread right {
  y.store(1, rel);
  x.bcas(2, 3, acqrel);
}
