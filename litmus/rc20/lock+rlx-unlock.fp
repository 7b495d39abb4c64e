//: tso robust states=0
//: pso violation shape=MP states=19
//: pgas violation shape=MP states=19
//: ra robust states=13
//: rc20 violation kind=data-race location=data states=9
//: cpp20 violation kind=data-race location=data states=9
// A lock released by a relaxed store: mutual exclusion holds, and still the accesses it protects
// race.
name "lock+rlx-unlock";
domain 2;
global lock;
nonatomic data;

thread left {
  lock.bcas(0, 1, acq);
  data = 1;
  lock.store(0, rlx);
}

thread right {
  local r;
  lock.bcas(0, 1, acq);
  r = data;
  lock.store(0, rlx);
}
