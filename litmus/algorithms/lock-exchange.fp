//: tso robust states=80
//: pso violation shape=S states=71
//: pgas violation shape=S states=71
//: ra robust states=57
//: rc20 robust states=82
//: cpp20 robust states=82
// A lock taken by an exchange (compare Margalit and Lahav 2021, figure 6, which has a program of
// this name): look by relaxed loads until it seems free, then exchange, which acquires only when it
// succeeds. The exchange is relaxed, and a fence follows when the old value was 0.
name "lock-exchange";
domain 2;
global lock;
nonatomic owner;

thread p[2] {
  local r;
  while (1) {
    do {
      do { r = lock.load(rlx); } while (r == 1);
      r = lock.xchg(1, rlx);
    } while (r == 1);
    fence(acq);
    owner = me;
    r = owner;
    assert(r == me);
    lock.store(0, rel);
  }
}
