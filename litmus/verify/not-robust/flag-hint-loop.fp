//: sc safe
//: sra safe
//: ra safe
//: rc20 unsettled
//: cpp20 unsettled
//: tso safe
//: pso safe
//: pgas safe
//: ra violation
//: rc20 violation
//: cpp20 violation
//: tso violation
//: pso violation
//: pgas violation
// The hint in front of a lock, for ever. Safe for the same reason. The lock is written by who
// takes it and by who leaves, in an order that happens-before gives, owner too, and every hint
// has one writer: writes do not race, and RA reaches what SRA reaches. RC20 has no such theorem,
// and it is not robust. Taking the lock empties the buffers, so the machines are finite.
name "flag-hint-loop";
domain 2;
global hint[2], lock, owner;

thread p[2] {
  local r;
  while (1) {
    hint[me].store(1, rlx);
    r = hint[1 - me].load(rlx);
    if (r == 1) {
      hint[me].store(0, rlx);
    }
    lock.bcas(0, 1, acqrel);
    owner.store(me, rlx);
    r = owner.load(rlx);
    assert(r == me);
    fence(rel);
    lock.store(0, rlx);
  }
}
