//: tso robust states=0
//: pso violation shape=S states=146
//: pgas violation shape=S states=146
//: ra robust states=302
//: rc20 violation states=206
//: cpp20 violation states=206
//: rc20 observational violation
//: cpp20 observational violation
// Peterson's algorithm as D. Vyukov wrote it for C++11 (2008): the turn is given away by an
// exchange, and read back by a relaxed load. The two threads are never in the critical section at
// once; yet a thread that gets in because the turn came back, when the other has already been in
// and wants to enter again, has not acquired what the other left behind (found by Margalit and
// Lahav 2021, section 7). Entering once each is fine, see peterson-rlx-once; peterson-rlx-fix1 and
// peterson-rlx-fix2 repair it.
// not observationally robust (POPL 2021, Fig. 6)
name "peterson-rlx";
domain 2;
global flag[2], turn;
nonatomic owner;

thread p[2] {
  local f, t;
  while (1) {
    flag[me].store(1, rlx);
    turn.xchg(1 - me, acqrel);
    do {
      f = flag[1 - me].load(acq);
      if (f == 0) {
        break;
      }
      t = turn.load(rlx);
    } while (t != me);
    owner = me;
    f = owner;
    assert(f == me);
    flag[me].store(0, rel);
  }
}
