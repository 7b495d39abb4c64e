//: tso robust states=11243
//: pso violation shape=S states=7487
//: pgas violation shape=S states=7487
//: ra robust states=1317041
//: rc20 robust states=1399211
//: cpp20 robust states=67970
// Lamport's fast mutual exclusion for three threads, as in lamport2-3-ra, with each thread entering
// the critical section once. Small enough to be decided every time; all five fences are needed.
name "lamport2-3-ra-once";
domain 8;
const N = 3;
global b[N], x, y;
nonatomic owner;

thread p[N] {
  local r;
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
