//: tso robust states=90
//: pso violation shape=S states=258
//: pgas violation shape=S states=258
//: ra robust states=188
//: rc20 violation kind=data-race location=owner states=109
//: cpp20 violation kind=data-race location=owner states=71
// Dekker's algorithm as in dekker-rlx without the release fence behind the critical section.
name "dekker-rlx-no-rel";
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
  flag[me].store(0, rlx);
}
