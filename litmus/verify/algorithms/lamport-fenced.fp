//: sc safe
//: sra safe
//: ra safe
//: rc20 safe
//: cpp20 safe
//: tso safe
//: pso safe
//: pgas safe
//: ra robust
//: rc20 robust
//: cpp20 robust
//: tso robust
//: pso robust
//: pgas robust
// Lamport's fast mutual exclusion for two threads with a fence on either side of the write to x
// and behind the write to y, which release/acquire needs (compare algorithms/lamport2-ra), and
// light fences on the way out for machines with a buffer for each location.
name "lamport-fenced";
domain 4;
const N = 2;
global b[N], x, y, owner;

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
      wait(b[1 - me] == 0, acq);
      r = y.load(acq);
      if (r != me + 1) {
        wait(y == 0, acq);
        goto start;
      }
    }
    owner.store(me, rlx);
    r = owner.load(rlx);
    assert(r == me);
    lwfence();
    y.store(0, rel);
    lwfence();
    b[me].store(0, rel);
  }
}
