//: tso violation shape=R states=144
//: pso violation shape=R states=162
//: pgas violation shape=R states=162
//: ra violation states=18
//: rc20 robust states=566
//: cpp20 robust states=622
// Peterson's algorithm with SC accesses, except that leaving is a release store. It hands the
// critical section over, and whoever raises the flag again does so by an SC store.
name "peterson-seqcst-rel";
domain 2;
global flag[2], turn;
nonatomic owner;

thread p[2] {
  local f, t;
  while (1) {
    flag[me].store(1, sc);
    turn.store(1 - me, sc);
    do {
      f = flag[1 - me].load(sc);
      t = turn.load(sc);
    } while (f == 1 && t != me);
    owner = me;
    f = owner;
    assert(f == me);
    flag[me].store(0, rel);
  }
}
