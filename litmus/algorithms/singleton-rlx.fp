//: tso robust states=2368
//: pso violation shape=MP states=972
//: pgas violation shape=MP states=972
//: ra robust states=4176
//: rc20 robust states=4176
//: cpp20 robust states=4176
// The singleton of singleton.fp with a relaxed load inside the lock, which has acquired all there
// is to know (Margalit and Lahav 2021, section 7).
name "singleton-rlx";
domain 4;
global instance, lock;
nonatomic object[3];

thread user[4] {
  local p, r;
  p = instance.load(acq);
  if (p == 0) {
    lock.bcas(0, 1, acq);
    p = instance.load(rlx);
    if (p == 0) {
      p = nondet(1, 2);
      object[p] = p;
      instance.store(p, rel);
    }
    lock.store(0, rel);
  }
  r = object[p];
  assert(r == p);
}
