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
// A test-and-set lock for two threads, for ever. Whoever takes the lock reads from an exchange
// or from the release of the one before, and so the critical sections follow each other in
// happens-before. The release fence is one to RC20 and keeps stores in order where each location
// has its buffer; to SRA and RA the store releases anyway.
name "spinlock";
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
    fence(rel);
    lock.store(0, rlx);
  }
}
