//: tso robust
//: pso violation copies=2 shape=MP
//: pgas violation copies=2 shape=MP
//: ra robust
//: rc20 robust
//: cpp20 robust
// Initialisation by whoever comes first, with a second look under a lock.
name "once";
domain 2;
global done, lock;
nonatomic object;

thread user[*] {
  local r;
  r = done.load(acq);
  if (!r) {
    lock.bcas(0, 1, acq);
    r = done.load(rlx);
    if (!r) {
      object = 1;
      done.store(1, rel);
    }
    lock.store(0, rel);
  }
  r = object;
  assert(r == 1);
}
