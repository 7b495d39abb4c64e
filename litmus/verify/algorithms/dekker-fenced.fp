//: sc safe
//: sra safe
//: ra safe
//: rc20 safe
//: cpp20 safe
//: tso safe
//: pso assertion-fails
//: pgas assertion-fails
//: ra robust
//: rc20 robust
//: cpp20 robust
//: tso robust
//: pso violation
//: pgas violation
// Dekker's algorithm with an SC fence behind each raising of the flag. Of two fences the later
// one knows the flag in front of the earlier one, so one of the threads sees the other's flag;
// who finds the flag down has synchronised with its lowering, behind the critical section. With
// one buffer for each location the flag goes down before the write of owner gets to memory,
// where it may then overwrite the next owner's.
name "dekker-fenced";
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
    turn.store(1 - me, rel);
    flag[me].store(0, rel);
  }
}
