//: tso robust states=0
//: pso violation shape=R states=64
//: pgas violation shape=R states=64
//: ra violation states=26
//: rc20 violation states=26
//: cpp20 violation states=18
// Peterson's algorithm with the one fence per thread that TSO needs, between giving the turn away
// and looking at the other's flag. Not enough here: a write to turn may be placed before the other
// thread's write in the order of writes although that one came first, since overwriting a value
// does not mean having seen it.
name "peterson-tso";
domain 2;
global flag[2], turn;
nonatomic owner;

thread p[2] {
  local f, t;
  while (1) {
    flag[me].store(1, rel);
    turn.store(1 - me, rel);
    fence(sc);
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
