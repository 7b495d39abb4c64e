//: tso robust states=1108
//: pso violation shape=MP states=276
//: pgas violation shape=MP states=276
//: ra violation states=638
//: rc20 violation states=640
//: cpp20 violation states=238
// Lamport's fast mutual exclusion (1987, second algorithm) with the two fences per thread that TSO
// needs, after the writes to x and y. Under release/acquire a thread can still overwrite x without
// having seen what came before the overwritten value, and go on with an old value of y.
name "lamport2-tso";
domain 4;
const N = 2;
global b[N], x, y;
nonatomic owner;

thread p[N] {
  local r;
  while (1) {
    start:
    b[me].store(1, rel);
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
