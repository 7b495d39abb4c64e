//: sc safe
//: sra safe
//: ra safe
//: rc20 safe
//: cpp20 safe
//: tso safe
//: pso assertion-fails
//: pgas assertion-fails
//: ra robust
//: rc20 robust
//: cpp20 robust
//: tso robust
//: pso violation
//: pgas violation
// A test-and-set lock for two threads that is released by a release store without a fence. Right
// in every language and on TSO; with a buffer for each location the lock is free before the
// write of owner is in memory.
name "spinlock-store";
domain 2;
global lock, owner;

thread p[2] {
  local r;
  while (1) {
    do {
      r = lock.xchg(1, acq);
    } while (r == 1);
    owner.store(me, rlx);
    r = owner.load(rlx);
    assert(r == me);
    lock.store(0, rel);
  }
}
