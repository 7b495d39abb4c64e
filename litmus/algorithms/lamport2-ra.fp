//: tso robust states=1036
//: pso violation shape=S states=858
//: pgas violation shape=S states=858
//: ra robust states=12804
//: rc20 robust states=14020
//: cpp20 robust states=5112
// Lamport's fast mutual exclusion (1987, second algorithm) for two threads with a third fence, in
// front of the write to x. Now both writes to x are enclosed by fences, and whoever overwrites x
// knows what came before it.
name "lamport2-ra";
domain 4;
const N = 2;
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
      wait(b[1 - me] == 0, acq);
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
