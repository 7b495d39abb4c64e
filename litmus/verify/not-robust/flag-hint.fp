//: sc safe
//: sra safe
//: ra safe
//: rc20 safe
//: cpp20 safe
//: tso safe
//: pso safe
//: pgas safe
//: ra violation
//: rc20 violation
//: cpp20 violation
//: tso violation
//: pso violation
//: pgas violation
// A hint that may be missed in front of a lock that may not: a thread says that it wants the
// lock, looks whether somebody else does, and backs off once if so; the lock itself excludes.
// Missing each other's hint, which is store buffering, makes no difference to mutual exclusion.
// Each thread enters once.
name "flag-hint";
domain 2;
global hint[2], lock, owner;

thread p[2] {
  local r;
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
