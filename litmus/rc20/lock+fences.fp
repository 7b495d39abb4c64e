//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=13
//: rc20 robust states=13
//: cpp20 robust states=13
// A lock with relaxed accesses of the lock word and fences on the inside: acquire after taking it,
// release before giving it back.
name "lock+fences";
domain 2;
global lock;
nonatomic data;

thread left {
  lock.bcas(0, 1, rlx);
  fence(acq);
  data = 1;
  fence(rel);
  lock.store(0, rlx);
}

thread right {
  local r;
  lock.bcas(0, 1, rlx);
  fence(acq);
  r = data;
  fence(rel);
  lock.store(0, rlx);
}
