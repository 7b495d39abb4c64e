//: tso robust states=31991
//: pso violation shape=S states=8147
//: pgas violation shape=S states=8147
//: ra robust states>=100000
//: rc20 robust states>=100000
//: cpp20 robust states>=100000
// Lamport's fast mutual exclusion (1987, second algorithm) for three threads. Besides the three
// fences of lamport2-ra the slow path needs two more, in front of its looks at the two other
// flags. The first: a thread that finds x overwritten has seen the last writer's flag, not the
// flag of the one in between. The second: what it learns from one flag must be known to a thread
// that raises the other.
// Decided, but large (58 692 402 states, 3.4 GiB): tests stop early and leave it to
// lamport2-3-ra-once, where each thread enters once.
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
