//: tso violation shape=SB states=93
//: pso violation shape=SB states=95
//: pgas violation shape=SB states=95
//: ra violation shape=SB states=12
//: rc20 violation shape=SB states=12
//: cpp20 violation shape=SB states=12
// Dekker's mutual exclusion algorithm (T. J. Dekker, described by Dijkstra 1965): raise a flag,
// look at the other's flag, settle a conflict by turns. Its first two accesses are store
// buffering, so both threads can enter at once.
name "dekker-sc";
domain 2;
global flag[2], turn;
nonatomic owner;

thread p[2] {
  local r;
  while (1) {
    flag[me].store(1, rel);
    r = flag[1 - me].load(acq);
    while (r == 1) {
      r = turn.load(acq);
      if (r != me) {
        flag[me].store(0, rel);
        wait(turn == me, acq);
        flag[me].store(1, rel);
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
