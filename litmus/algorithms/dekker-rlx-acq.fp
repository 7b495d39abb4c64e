//: tso robust states=250
//: pso robust states=994
//: pgas robust states=994
//: ra robust states=1699
//: rc20 robust states=1801
//: cpp20 robust states=4991
// Dekker's algorithm as in dekker-rlx-loop with acquire loads of the flags. They also make the
// acquire fence in front of the critical section superfluous, since a thread enters only after it
// has read a lowered flag.
name "dekker-rlx-acq";
domain 2;
global flag[2], turn;
nonatomic owner;

thread p[2] {
  local r;
  while (1) {
    flag[me].store(1, rlx);
    fence(sc);
    r = flag[1 - me].load(acq);
    while (r == 1) {
      r = turn.load(rlx);
      if (r != me) {
        flag[me].store(0, rlx);
        wait(turn == me, rlx);
        flag[me].store(1, rlx);
        fence(sc);
      }
      r = flag[1 - me].load(acq);
    }
    owner = me;
    r = owner;
    assert(r == me);
    turn.store(1 - me, rlx);
    fence(rel);
    flag[me].store(0, rlx);
  }
}
