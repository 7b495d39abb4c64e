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
// Dekker's algorithm with SC fences behind each raising of the flag, and light fences on the way
// out: the write of owner, of the turn and of the flag get to memory in this order on every
// machine. The light fences mean nothing to SRA, RA and RC20, where the SC fences were enough.
name "dekker-lwfences";
domain 2;
global flag[2], turn, owner;

thread p[2] {
  local r;
  while (1) {
    flag[me].store(1, rel);
    fence(sc);
    r = flag[1 - me].load(acq);
    while (r == 1) {
      r = turn.load(acq);
      if (r != me) {
        flag[me].store(0, rel);
        wait(turn == me, acq);
        flag[me].store(1, rel);
        fence(sc);
      }
      r = flag[1 - me].load(acq);
    }
    owner.store(me, rlx);
    r = owner.load(rlx);
    assert(r == me);
    lwfence();
    turn.store(1 - me, rel);
    lwfence();
    flag[me].store(0, rel);
  }
}
