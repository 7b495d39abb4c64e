//: sc safe
//: sra safe
//: ra safe
//: rc20 safe
//: cpp20 safe
//: tso safe
//: pso safe
//: pgas safe
//: ra violation
//: rc20 violation
//: cpp20 violation
//: tso violation
//: pso violation
//: pgas violation
// Two threads hand a plain box to each other by turns, for ever. Besides, each says when it is
// busy, looks whether the other is, and takes a note if it seems not to be: both may, which SC does
// not permit. So robustness does not help, and executions are without number. But whose turn
// it is knows all that was done to the box. Every location but the turn and the box has one
// writer, and these are written in turns, so what SRA says holds of RA, and of RC20, where every
// access of an atomic location is a release or an acquire and there are no fences. The machines
// keep the order of box and turn, PSO and PGAS by the light fence.
name "handover";
domain 3;
global turn, busy[2], seen[2];
nonatomic box;

thread p[2] {
  local r, v;
  while (1) {
    busy[me].store(1, rel);
    r = busy[1 - me].load(acq);
    if (r == 0) {
      seen[me].store(1, rel);
    }
    wait(turn == me, acq);
    v = box;
    assert(v == me);
    box = 1 - me;
    lwfence();
    turn.store(1 - me, rel);
    busy[me].store(0, rel);
  }
}
