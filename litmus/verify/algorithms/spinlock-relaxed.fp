//: sc safe
//: sra safe
//: ra safe
//: rc20 assertion-fails
//: cpp20 assertion-fails
//: tso safe
//: pso assertion-fails
//: pgas assertion-fails
//: ra robust
//: rc20 violation
//: cpp20 violation
//: tso robust
//: pso violation
//: pgas violation
// A test-and-set lock for two threads that is released by a relaxed store. To SRA and RA every
// store releases; under RC20 the next owner knows nothing of the one before, whose write of
// owner may come after its own in modification order.
name "spinlock-relaxed";
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
    lock.store(0, rlx);
  }
}
