//: tso robust
//: pso robust
//: pgas robust
//: ra violation shape=2+2W states=10
//: rc20 violation shape=2+2W states=10
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
