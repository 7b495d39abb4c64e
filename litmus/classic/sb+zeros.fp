//: tso violation shape=SB states=31
//: pso violation shape=SB states=31
//: pgas violation shape=SB states=31
//: ra violation shape=SB states=10
//: rc20 violation shape=SB states=10
//: cpp20 violation shape=SB states=10
// Store buffering that writes the initial value again. No register can tell the difference, yet
// the loads may read from the wrong writes: the execution graphs differ from those of SC, and that
// is what counts as a violation.
name "sb+zeros";
domain 2;
global x, y;

thread left {
  local r;
  x.store(0, rel);
  r = y.load(acq);
}

thread right {
  local r;
  y.store(0, rel);
  r = x.load(acq);
}
