//: ra robust
// Lamport's fast mutual exclusion for three threads. Besides the three fences of lamport2-ra the
// slow path needs two more, before it looks at the other two flags: three threads can disagree
// about who lowered a flag first (as in classic/iriw).
// A large state space: about 59 million states with a plain monitor and no reduction.
name "lamport2-3-ra";
domain 8;
const N = 3;
global b[N], x, y;
nonatomic owner;

thread p[N] {
  local r;
  while (1) {
    start:
    b[me].store(1, rel);
    fence(sc);
    x.store(me + 1, rel);
    fence(sc);
    r = y.load(acq);
    if (r != 0) {
      b[me].store(0, rel);
      wait(y == 0, acq);
      goto start;
    }
    y.store(me + 1, rel);
    fence(sc);
    r = x.load(acq);
    if (r != me + 1) {
      b[me].store(0, rel);
      fence(sc);
      wait(b[(me + 1) % N] == 0, acq);
      fence(sc);
      wait(b[(me + 2) % N] == 0, acq);
      r = y.load(acq);
      if (r != me + 1) {
        wait(y == 0, acq);
        goto start;
      }
    }
    owner = me;
    y.store(0, rel);
    b[me].store(0, rel);
  }
}
