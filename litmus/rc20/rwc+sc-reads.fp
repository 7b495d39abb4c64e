//: tso violation shape=RWC states=40
//: pso violation shape=RWC states=40
//: pgas violation shape=RWC states=40
//: ra violation shape=RWC states=29
//: rc20 violation shape=RWC states=29
//: cpp20 violation shape=RWC states=29
// Read-to-write causality where everything is SC but the store to x and its first load. The last
// load comes after the other SC accesses in the total order and need not see a store that is not
// part of it: an SC load is not a fence.
name "rwc+sc-reads";
domain 2;
global x, y;

thread writer {
  x.store(1, rel);
}

thread middle {
  local r, s;
  r = x.load(acq);
  s = y.load(sc);
}

thread last {
  local r;
  y.store(1, sc);
  r = x.load(sc);
}
