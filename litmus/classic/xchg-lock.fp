//: tso robust states=0
//: pso violation shape=S states=31
//: pgas violation shape=S states=31
//: ra robust states=24
//: rc20 robust states=35
//: cpp20 robust states=35
// A test-and-set lock: exchange until the old value was 0. A failed exchange writes 1 over 1,
// which keeps all writes in the chain of updates; the spinning does no harm.
name "xchg-lock";
domain 4;
global lock;
nonatomic owner;

thread p[2] {
  local r;
  while (1) {
    do { r = lock.xchg(1, acq); } while (r != 0);
    owner = me;
    r = owner;
    assert(r == me);
    lock.store(0, rel);
  }
}
