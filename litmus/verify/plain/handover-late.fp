//: sc safe
//: sra racy
//: ra racy
//: rc20 racy
//: cpp20 racy
//: tso safe
//: pso safe
//: pgas safe
//: ra violation
//: rc20 violation
//: cpp20 violation
//: tso violation
//: pso violation
//: pgas violation
// As handover, but the box is filled when the turn has been given away already: the other one
// may look at it, or fill it, at the same time. Nothing is asserted, so machines have no say;
// the fence at the end of a round keeps their buffers short.
name "handover-late";
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
    turn.store(1 - me, rel);
    lwfence();
    box = 1 - me;
    busy[me].store(0, rel);
    fence(sc);
  }
}
