//: tso robust states=90
//: pso robust states=333
//: pgas robust states=333
//: ra robust states=188
//: rc20 robust states=193
//: cpp20 robust states=146
// Dekker's algorithm with relaxed accesses after A. Williams (2010; Margalit and Lahav 2021, figure
// 6): an SC fence after each raising of the flag, an acquire fence in front of the critical
// section, a release fence behind it. Each thread enters once, and waits for its turn by blocking
// instead of spinning; see dekker-rlx-loop for threads that come back.
name "dekker-rlx";
domain 2;
global flag[2], turn;
nonatomic owner;

thread p[2] {
  local r;
  flag[me].store(1, rlx);
  fence(sc);
  r = flag[1 - me].load(rlx);
  while (r == 1) {
    r = turn.load(rlx);
    if (r != me) {
      flag[me].store(0, rlx);
      wait(turn == me, rlx);
      flag[me].store(1, rlx);
      fence(sc);
    }
    r = flag[1 - me].load(rlx);
  }
  fence(acq);
  owner = me;
  r = owner;
  assert(r == me);
  turn.store(1 - me, rlx);
  fence(rel);
  flag[me].store(0, rlx);
}
