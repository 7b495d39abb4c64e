//: sc safe
//: sra safe
//: ra safe
//: rc20 safe
//: cpp20 safe
//: tso safe
//: pso safe
//: pgas safe
//: ra robust
//: rc20 robust
//: cpp20 robust
//: tso robust
//: pso robust
//: pgas robust
// Peterson's algorithm with two fences, in front of the turn and behind it, and a light one on
// the way out. Now the writes of the turn are ordered by the fences around them, so the one that
// is later in modification order knows the other's flag. The light fence keeps the write of
// owner in front of the lowering of the flag where each location has its buffer.
name "peterson-fences";
domain 2;
global flag[2], turn, owner;

thread p[2] {
  local f, t, r;
  while (1) {
    flag[me].store(1, rel);
    fence(sc);
    turn.store(1 - me, rel);
    fence(sc);
    do {
      f = flag[1 - me].load(acq);
      t = turn.load(acq);
    } while (f == 1 && t != me);
    owner.store(me, rlx);
    r = owner.load(rlx);
    assert(r == me);
    lwfence();
    flag[me].store(0, rel);
  }
}
