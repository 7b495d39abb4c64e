//: tso violation shape=R states=144
//: pso violation shape=R states=162
//: pgas violation shape=R states=162
//: ra violation shape=R states=18
//: rc20 violation shape=R states=18
//: cpp20 violation shape=R states=18
// Peterson's mutual exclusion algorithm (1981): raise a flag, give the turn away, wait until the
// other is out or has given the turn back. Two shapes break it: store buffering between turn and
// flag, and the two blind writes to turn.
name "peterson-sc";
domain 2;
global flag[2], turn;
nonatomic owner;

thread p[2] {
  local f, t;
  while (1) {
    flag[me].store(1, rel);
    turn.store(1 - me, rel);
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
