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
//: pso violation
//: pgas violation
// Dekker's algorithm with SC fences and one light fence on the way out, in front of the turn.
// With a buffer for each location the flag may go down before the turn is given away, and the
// turn of an earlier round may overwrite that of a later one: not robust. But only the flags
// exclude, the turn decides who yields, so no assertion fails. The SC fence of each round
// empties the buffers, which makes the machine finite.
name "dekker-turn-late";
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
    flag[me].store(0, rel);
  }
}
