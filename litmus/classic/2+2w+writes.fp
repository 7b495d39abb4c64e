//: tso robust states=0
//: pso violation shape=2+2W states=39
//: pgas violation shape=2+2W states=39
//: ra violation shape=2+2W kind=stale-write states=10
//: rc20 violation shape=2+2W kind=stale-write states=10
//: cpp20 violation shape=2+2W kind=stale-write states=10
// The four writes of 2+2w without the reads. No state can show it, but the order of writes in the
// execution graph is one that SC does not have.
name "2+2w+writes";
domain 4;
global x, y;

thread left {
  x.store(1, rel);
  y.store(2, rel);
}

thread right {
  y.store(1, rel);
  x.store(2, rel);
}
