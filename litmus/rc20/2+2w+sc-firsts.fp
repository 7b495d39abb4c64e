//: tso robust states=0
//: pso violation shape=2+2W states=39
//: pgas violation shape=2+2W states=39
//: ra violation shape=2+2W states=10
//: rc20 violation shape=2+2W states=10
//: cpp20 violation shape=2+2W states=10
// Opposite writes where only the first store of each thread is SC.
name "2+2w+sc-firsts";
domain 4;
global x, y;

thread left {
  x.store(1, sc);
  y.store(2, rel);
}

thread right {
  y.store(1, sc);
  x.store(2, rel);
}
