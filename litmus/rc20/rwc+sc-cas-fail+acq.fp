//: tso violation states=38
//: pso violation states=38
//: pgas violation states=38
//: ra violation states=20
//: rc20 robust states=40
//: cpp20 violation states=32
// Everything is SC but for the order of a failure: `reader`'s compare-and-swap that finds 1 is an
// acquire load. `writer`'s store happens before `reader`'s load of y, but not strongly, so S may
// have it after `other`'s load of x, which reads 0, and `reader` reads y as 0 all the same. C++11
// had all of happens-before in the order, and so has rc20. With `sc` as the order of the failure it
// is robust.
name "rwc+sc-cas-fail+acq";
domain 3;
global x, y;

thread writer {
  x.store(1, sc);
}

thread reader {
  local r, s;
  r = x.cas(0, 2, sc, acq);
  s = y.load(sc);
}

thread other {
  local r;
  y.store(1, sc);
  r = x.load(sc);
}
