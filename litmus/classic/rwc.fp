//: tso violation shape=RWC states=40
//: pso violation shape=RWC states=40
//: pgas violation shape=RWC states=40
//: ra violation shape=RWC states=29
//: rc20 violation shape=RWC states=29
//: cpp20 violation shape=RWC states=29
// Read-to-write causality: the second thread sees x but not yet y, the third stores y and does not
// see x. Under SC the store to y must then come after the one to x; without a fence in the third
// thread (and its partner in the second) it may not.
name "rwc";
domain 2;
global x, y;

thread writer { x.store(1, rel); }

thread middle {
  local r, s;
  r = x.load(acq);
  s = y.load(acq);
}

thread last {
  local r;
  y.store(1, rel);
  r = x.load(acq);
}
