//: tso robust states=0
//: pso violation shape=2+2W states=39
//: pgas violation shape=2+2W states=39
//: ra violation shape=2+2W states=10
//: rc20 violation shape=2+2W states=10
//: cpp20 violation shape=2+2W states=10
// Opposite writes with SC stores in one thread only.
name "2+2w+sc-one";
domain 4;
global x, y;

thread left {
  x.store(1, sc);
  y.store(2, sc);
}

thread right {
  y.store(1, rel);
  x.store(2, rel);
}
