//: tso robust states=0
//: pso violation shape=S states=31
//: pgas violation shape=S states=31
//: ra robust states=26
//: rc20 robust states=37
//: cpp20 robust states=37
// A lock taken by strong compare-and-swaps in a loop. A failed attempt is a stale read at worst,
// and a thread that only fails has no way to know better: the lock word is all it looks at.
name "cas-lock";
domain 4;
global lock;
nonatomic owner;

thread p[2] {
  local r;
  while (1) {
    do { r = lock.cas(0, 1, acq, rlx); } while (r != 0);
    owner = me;
    r = owner;
    assert(r == me);
    lock.store(0, rel);
  }
}
