//: tso violation shape=SB states=93
//: pso violation shape=SB states=95
//: pgas violation shape=SB states=95
//: ra violation states=12
//: rc20 robust states=1471
//: cpp20 robust states=1653
// Dekker's algorithm with SC accesses, C++'s default: no fence is needed.
name "dekker-seqcst";
domain 2;
global flag[2], turn;
nonatomic owner;

thread p[2] {
  local r;
  while (1) {
    flag[me].store(1, sc);
    r = flag[1 - me].load(sc);
    while (r == 1) {
      r = turn.load(sc);
      if (r != me) {
        flag[me].store(0, sc);
        wait(turn == me, sc);
        flag[me].store(1, sc);
      }
      r = flag[1 - me].load(sc);
    }
    owner = me;
    r = owner;
    assert(r == me);
    turn.store(1 - me, sc);
    flag[me].store(0, sc);
  }
}
