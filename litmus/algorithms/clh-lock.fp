//: tso robust states=0
//: pso violation shape=S states=904
//: pgas violation shape=S states=904
//: ra robust states=68924
//: rc20 robust states=59930
//: cpp20 robust states=59930
// The queue lock of Craig (1993) and of Landin and Hagersten (1994) for three threads: each joins
// by an exchange of the tail and waits for the node of its predecessor, which it then keeps for
// its next turn. One spare node starts out free.
name "clh-lock";
domain 4;
const N = 3;
global tail = N, busy[4];
nonatomic owner;

thread p[N] {
  local mine = me, prev, r;
  while (1) {
    busy[mine].store(1, rlx);
    prev = tail.xchg(mine, acqrel);
    wait(busy[prev] == 0, acq);
    owner = me;
    r = owner;
    assert(r == me);
    busy[mine].store(0, rel);
    mine = prev;
  }
}
