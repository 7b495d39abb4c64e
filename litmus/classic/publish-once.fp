//: tso robust states=252
//: pso violation shape=MP states=199
//: pgas violation shape=MP states=199
//: ra robust states=356
//: rc20 robust states=356
//: cpp20 robust states=356
// One-time initialisation (double-checked locking): look without the lock, then again with it,
// build the object, publish it by a release store. The object is non-atomic, and everyone who uses
// it has seen the publication.
name "publish-once";
domain 2;
global ready, lock;
nonatomic object;

thread user[3] {
  local r;
  r = ready.load(acq);
  if (r == 0) {
    lock.bcas(0, 1, acq);
    r = ready.load(rlx);
    if (r == 0) {
      object = 1;
      ready.store(1, rel);
    }
    lock.store(0, rel);
  }
  r = object;
  assert(r == 1);
}
