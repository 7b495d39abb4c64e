//: tso robust states=0
//: pso violation shape=S states=174
//: pgas violation shape=S states=174
//: ra robust states=1088
//: rc20 robust states=1328
//: cpp20 robust states=616
// Peterson's algorithm with a second fence per thread, before the turn is given away. Then the
// thread that writes turn last also knows of the write it overwrites, and the fence behind it
// makes the flags visible.
name "peterson-ra";
domain 2;
global flag[2], turn;
nonatomic owner;

thread p[2] {
  local f, t;
  while (1) {
    flag[me].store(1, rel);
    fence(sc);
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
