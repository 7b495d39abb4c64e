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
// Peterson's algorithm after D. Vyukov: the turn is given away by an exchange, without fences.
// The later exchange reads from the earlier one, directly or through a chain, and thereby knows
// the other's flag; machines empty their buffers there. A light fence on the way out keeps the
// write of owner in front of the lowering of the flag where each location has its buffer.
name "peterson-exchange";
domain 2;
global flag[2], turn, owner;

thread p[2] {
  local f, t, r;
  while (1) {
    flag[me].store(1, rlx);
    turn.xchg(1 - me, acqrel);
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
