//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra violation shape=2+2W states=10
//: rc20 violation shape=2+2W states=10
//: cpp20 violation shape=2+2W states=10
// Opposite writes with an acquire-release fence between the two of each thread. Nothing is read, so
// nothing synchronises.
name "2+2w+acqrel-fences";
domain 4;
global x, y;

thread left {
  x.store(1, rlx);
  fence(acqrel);
  y.store(2, rlx);
}

thread right {
  y.store(1, rlx);
  fence(acqrel);
  x.store(2, rlx);
}
