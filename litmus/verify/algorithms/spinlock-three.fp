//: sc safe
//: sra safe
//: ra safe
//: rc20 safe
//: cpp20 safe
//: tso safe
//: pso safe
//: pgas safe
//: ra robust
//: rc20 robust
//: cpp20 robust
//: tso robust
//: pso robust
//: pgas robust
// A test-and-test-and-set lock for three threads, for ever: wait until the lock looks free, then
// try to take it.
name "spinlock-three";
domain 4;
global lock, owner;

thread p[3] {
  local r;
  while (1) {
    do {
      wait(lock == 0, rlx);
      r = lock.cas(0, 1, acq, rlx);
    } while (r == 1);
    owner.store(me, rlx);
    r = owner.load(rlx);
    assert(r == me);
    fence(rel);
    lock.store(0, rlx);
  }
}
