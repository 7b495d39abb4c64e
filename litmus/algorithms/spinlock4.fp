//: tso robust states=0
//: pso violation shape=S states=814
//: pgas violation shape=S states=814
//: ra robust states=5816
//: rc20 robust states=6165
//: cpp20 robust states=6165
// The spinlock of old Linux kernels for four threads. Each waiting thread decrements at most once
// per release, so the counter stays within the domain.
name "spinlock4";
domain 8;
const N = 4;
global lock = 1;
nonatomic owner;

thread p[N] {
  local r;
  while (1) {
    r = lock.fsub(1, acq);
    while (r != 1) {
      do { r = lock.load(rlx); } while (r != 1);
      r = lock.fsub(1, acq);
    }
    owner = me;
    r = owner;
    assert(r == me);
    lock.store(1, rel);
  }
}
