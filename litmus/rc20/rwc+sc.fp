//: tso violation shape=RWC states=40
//: pso violation shape=RWC states=40
//: pgas violation shape=RWC states=40
//: ra violation shape=RWC states=29
//: rc20 robust states=36
//: cpp20 robust states=36
// Read-to-write causality with SC accesses.
name "rwc+sc";
domain 2;
global x, y;

thread writer {
  x.store(1, sc);
}

thread middle {
  local r, s;
  r = x.load(sc);
  s = y.load(sc);
}

thread last {
  local r;
  y.store(1, sc);
  r = x.load(sc);
}
