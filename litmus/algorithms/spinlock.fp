//: tso robust states=0
//: pso violation shape=S states=67
//: pgas violation shape=S states=67
//: ra robust states=54
//: rc20 robust states=65
//: cpp20 robust states=65
// The x86 spinlock of old Linux kernels (as studied by Owens 2010): decrement, enter if the lock
// was free, else read until it looks free and try again. The lock word is the only atomic
// location, and with one location there is no weak behaviour.
name "spinlock";
domain 8;
const N = 2;
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
