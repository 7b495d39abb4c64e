//: tso robust states=0
//: pso violation shape=S states=64
//: pgas violation shape=S states=64
//: ra robust states=53
//: rc20 robust states=54
//: cpp20 robust states=54
// A try-lock with one weak compare-and-swap, which may fail for no reason. The value it returns
// cannot tell a spurious failure from a success, so the thread looks at the lock word again to
// learn whether its name is in it.
name "casw-lock";
domain 4;
global lock;
nonatomic owner;

thread p[2] {
  local r;
  r = lock.casw(0, me + 1, acqrel, rlx);
  r = lock.load(acq);
  if (r == me + 1) {
    owner = me;
    lock.store(0, rel);
  }
}
