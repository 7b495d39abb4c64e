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
// Lamport's bakery for two threads with tickets up to 3, with a fence behind the announcement
// that one is choosing and behind the number. Of the two fences behind the announcements one
// comes first; the other thread knows the announcement in front of it, so it waits for the
// number, and takes a larger one if it is there. Every location but owner has one writer, so
// writes race nowhere, and RA reaches what SRA reaches. A light fence on the way out is for
// machines with a buffer for each location.
name "bakery-fenced";
domain 4;
const N = 2;
global choosing[N], number[N], owner;

thread p[N] {
  local a, b, r;
  while (1) {
    choosing[me].store(1, rel);
    fence(sc);
    a = number[1 - me].load(acq);
    assume(a < 3);
    a = a + 1;
    number[me].store(a, rel);
    fence(sc);
    choosing[me].store(0, rel);
    wait(choosing[1 - me] == 0, acq);
    do {
      b = number[1 - me].load(acq);
    } while (b != 0 && (b < a || (b == a && 1 - me < me)));
    owner.store(me, rlx);
    r = owner.load(rlx);
    assert(r == me);
    lwfence();
    number[me].store(0, rel);
  }
}
