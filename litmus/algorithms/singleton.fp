//: tso robust states=2368
//: pso violation shape=MP states=972
//: pgas violation shape=MP states=972
//: ra robust states=4176
//: rc20 robust states=4176
//: cpp20 robust states=4176
// A singleton with double-checked locking from Boost's examples (Bahmann and Blechmann 2012;
// Margalit and Lahav 2021, figure 6), for four threads. Who finds no instance takes the lock, looks
// again and makes one, at one of two addresses. Consume is rendered as acquire.
name "singleton";
domain 4;
global instance, lock;
nonatomic object[3];

thread user[4] {
  local p, r;
  p = instance.load(acq);
  if (p == 0) {
    lock.bcas(0, 1, acq);
    p = instance.load(acq);
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
