//: tso robust states=0
//: pso violation shape=2+2W states=39
//: pgas violation shape=2+2W states=39
//: ra violation shape=2+2W states=10
//: rc20 violation shape=2+2W states=10
//: cpp20 violation shape=2+2W states=10
// Two threads that write both locations in opposite order, relaxed.
name "2+2w+rlx";
domain 4;
global x, y;

thread left {
  x.store(1, rlx);
  y.store(2, rlx);
}

thread right {
  y.store(1, rlx);
  x.store(2, rlx);
}
