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
// The queue lock of Craig (1993) and of Landin and Hagersten (1994) for two threads, for ever:
// join by an exchange of the tail, wait for the node of one's predecessor, keep that node for
// the next turn.
name "clh";
domain 4;
const N = 2;
global tail = N, busy[3], owner;

thread p[N] {
  local mine = me, prev, r;
  while (1) {
    busy[mine].store(1, rlx);
    prev = tail.xchg(mine, acqrel);
    wait(busy[prev] == 0, acq);
    owner.store(me, rlx);
    r = owner.load(rlx);
    assert(r == me);
    fence(rel);
    busy[mine].store(0, rlx);
    mine = prev;
  }
}
