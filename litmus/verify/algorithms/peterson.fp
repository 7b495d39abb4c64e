//: sc safe
//: sra assertion-fails
//: ra assertion-fails
//: rc20 assertion-fails
//: cpp20 assertion-fails
//: tso assertion-fails
//: pso assertion-fails
//: pgas assertion-fails
//: ra violation
//: rc20 violation
//: cpp20 violation
//: tso violation
//: pso violation
//: pgas violation
// Peterson's mutual exclusion algorithm (1981) for two threads, for ever. Without fences both
// can miss the other's flag, under SRA as on the machines: store buffering.
name "peterson";
domain 2;
global flag[2], turn, owner;

thread p[2] {
  local f, t, r;
  while (1) {
    flag[me].store(1, rel);
    turn.store(1 - me, rel);
    do {
      f = flag[1 - me].load(acq);
      t = turn.load(acq);
    } while (f == 1 && t != me);
    owner.store(me, rlx);
    r = owner.load(rlx);
    assert(r == me);
    flag[me].store(0, rel);
  }
}
