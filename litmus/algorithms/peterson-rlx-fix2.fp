//: tso robust states=0
//: pso violation shape=S states=146
//: pgas violation shape=S states=146
//: ra robust states=302
//: rc20 robust states=296
//: cpp20 robust states=296
// Vyukov's version of Peterson's algorithm (peterson-rlx) repaired by an acquire fence in front of
// the critical section (Margalit and Lahav 2021, section 7). Then the loads in the loop can all be
// relaxed.
name "peterson-rlx-fix2";
domain 2;
global flag[2], turn;
nonatomic owner;

thread p[2] {
  local f, t;
  while (1) {
    flag[me].store(1, rlx);
    turn.xchg(1 - me, acqrel);
    do {
      f = flag[1 - me].load(rlx);
      if (f == 0) {
        break;
      }
      t = turn.load(rlx);
    } while (t != me);
    fence(acq);
    owner = me;
    f = owner;
    assert(f == me);
    flag[me].store(0, rel);
  }
}
