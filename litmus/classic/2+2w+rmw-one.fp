//: tso robust states=0
//: pso violation shape=2+2W states=26
//: pgas violation shape=2+2W states=26
//: ra violation states=10
//: rc20 violation states=10
//: cpp20 violation states=10
// The four writes of 2+2w with an exchange for the second write of one thread only. The exchange
// must follow the write it reads, but the other thread's blind store can still be slipped in too
// early.
name "2+2w+rmw-one";
domain 4;
global x, y;

thread left {
  x.store(1, rel);
  y.xchg(2, acqrel);
}

thread right {
  y.store(1, rel);
  x.store(2, rel);
}
