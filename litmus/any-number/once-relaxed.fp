//: tso robust
//: pso violation copies=2 shape=MP
//: pgas violation copies=2 shape=MP
//: ra robust
//: rc20 violation copies=2
//: cpp20 violation copies=2
// The first look acquires nothing, so who finds the object made may race with its maker.
name "once-relaxed";
domain 2;
global done, lock;
nonatomic object;

thread user[*] {
  local r;
  r = done.load(rlx);
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
}
