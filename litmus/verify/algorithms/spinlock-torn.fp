//: sc assertion-fails
//: sra assertion-fails
//: ra assertion-fails
//: rc20 assertion-fails
//: cpp20 assertion-fails
//: tso assertion-fails
//: pso assertion-fails
//: pgas assertion-fails
//: ra violation
//: rc20 violation
//: cpp20 violation
//: tso robust
//: pso violation
//: pgas violation
// A lock that is taken by a load and a store instead of one update: two threads find it free,
// under SC already.
name "spinlock-torn";
domain 2;
global lock, owner;

thread p[2] {
  local r;
  while (1) {
    wait(lock == 0, acq);
    lock.store(1, rel);
    owner.store(me, rlx);
    r = owner.load(rlx);
    assert(r == me);
    lock.store(0, rel);
  }
}
