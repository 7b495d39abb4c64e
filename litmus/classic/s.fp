//: tso robust states=0
//: pso violation shape=S states=22
//: pgas violation shape=S states=22
//: ra robust states=13
//: rc20 robust states=13
//: cpp20 robust states=13
// The S shape: the second thread overwrites x after having seen a flag that was raised after the
// first write to x. Its write must be the later one, and release/acquire says so.
name "s";
domain 4;
global x, y;

thread left {
  x.store(2, rlx);
  y.store(1, rel);
}

thread right {
  local r;
  r = y.load(acq);
  x.store(1, rlx);
}
