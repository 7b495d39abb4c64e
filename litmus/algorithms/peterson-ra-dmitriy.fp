//: tso robust states=0
//: pso violation shape=S states=174
//: pgas violation shape=S states=174
//: ra robust states=341
//: rc20 robust states=346
//: cpp20 robust states=346
// Peterson's algorithm after D. Vyukov (published by A. Williams 2008): no fences, but the turn is
// given away by an exchange. The second exchange reads from the first and thereby learns that the
// other flag is up.
name "peterson-ra-dmitriy";
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
      t = turn.load(acq);
    } while (f == 1 && t != me);
    owner = me;
    f = owner;
    assert(f == me);
    flag[me].store(0, rel);
  }
}
