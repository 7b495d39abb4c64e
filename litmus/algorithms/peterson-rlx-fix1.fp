//: tso robust states=0
//: pso violation shape=S states=146
//: pgas violation shape=S states=146
//: ra robust states=302
//: rc20 robust states=296
//: cpp20 robust states=296
// Vyukov's version of Peterson's algorithm (peterson-rlx) repaired by an acquire load of the turn
// (Margalit and Lahav 2021, section 7): whoever gets in because the turn came back synchronises
// with the exchange that gave it.
name "peterson-rlx-fix1";
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
      t = turn.load(acq);
    } while (t != me);
    owner = me;
    f = owner;
    assert(f == me);
    flag[me].store(0, rel);
  }
}
