//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=5816
//: rc20 robust states=5981
//: cpp20 robust states=5981
// The spinlock of old Linux kernels for four threads with relaxed accesses of the lock word
// (compare Margalit and Lahav 2021, figure 6): an acquire fence after the decrement that gets the
// lock, a release fence before it is given back.
name "spinlock4-rlx";
domain 8;
const N = 4;
global lock = 1;
nonatomic owner;

thread p[N] {
  local r;
  while (1) {
    r = lock.fsub(1, rlx);
    while (r != 1) {
      do { r = lock.load(rlx); } while (r != 1);
      r = lock.fsub(1, rlx);
    }
    fence(acq);
    owner = me;
    r = owner;
    assert(r == me);
    fence(rel);
    lock.store(1, rlx);
  }
}
