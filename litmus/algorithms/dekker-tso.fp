//: tso robust states=250
//: pso violation shape=S states=415
//: pgas violation shape=S states=415
//: ra robust states=1699
//: rc20 robust states=1699
//: cpp20 robust states=4072
// Dekker's algorithm with an SC fence after each raising of the flag: the two places that matter
// on TSO. They are also enough for release/acquire, since all other decisions follow values that
// were handed over by the other thread.
name "dekker-tso";
domain 2;
global flag[2], turn;
nonatomic owner;

thread p[2] {
  local r;
  while (1) {
    flag[me].store(1, rel);
    fence(sc);
    r = flag[1 - me].load(acq);
    while (r == 1) {
      r = turn.load(acq);
      if (r != me) {
        flag[me].store(0, rel);
        wait(turn == me, acq);
        flag[me].store(1, rel);
        fence(sc);
      }
      r = flag[1 - me].load(acq);
    }
    owner = me;
    r = owner;
    assert(r == me);
    turn.store(1 - me, rel);
    flag[me].store(0, rel);
  }
}
