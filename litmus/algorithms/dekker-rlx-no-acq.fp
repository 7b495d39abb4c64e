//: tso robust states=90
//: pso robust states=333
//: pgas robust states=333
//: ra robust states=188
//: rc20 violation kind=data-race location=owner states=109
//: cpp20 violation kind=data-race location=owner states=71
// Dekker's algorithm as in dekker-rlx without the acquire fence in front of the critical section.
name "dekker-rlx-no-acq";
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
  owner = me;
  r = owner;
  assert(r == me);
  turn.store(1 - me, rlx);
  fence(rel);
  flag[me].store(0, rlx);
}
