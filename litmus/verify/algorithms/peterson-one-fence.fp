//: sc safe
//: sra assertion-fails
//: ra assertion-fails
//: rc20 assertion-fails
//: cpp20 assertion-fails
//: tso safe
//: pso assertion-fails
//: pgas assertion-fails
//: ra violation
//: rc20 violation
//: cpp20 violation
//: tso robust
//: pso violation
//: pgas violation
// Peterson's algorithm with the one fence that TSO needs, between giving the turn away and
// looking. Under SRA it does not suffice: the thread whose fence is second knows the first one's
// flag and turn, but its own write of the turn, made without having seen the other, may come
// before the other's in modification order; then it reads that the turn is its own and enters,
// while the first one has entered because it did not see the flag. With one buffer for each
// location the turn can get to memory before the flag.
name "peterson-one-fence";
domain 2;
global flag[2], turn, owner;

thread p[2] {
  local f, t, r;
  while (1) {
    flag[me].store(1, rel);
    turn.store(1 - me, rel);
    fence(sc);
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
