//: tso violation shape=W+RWC states=61
//: pso violation shape=W+RWC states=96
//: pgas violation shape=W+RWC states=96
//: ra violation shape=W+RWC states=59
//: rc20 violation shape=W+RWC states=59
//: cpp20 robust states=51
// W+RWC with SC accesses in `other` and an SC fence in `relay`. The store to x is relaxed and
// happens before the fence through z, so an SC load that misses it comes before the fence in S, and
// the fence before the store to y that is missed after it. C++20 and RC11 agree. An SC load of y in
// the place of fence and load does not help: only a fence gathers what happens before it. rc20 does
// not order fences and SC accesses.
name "w+rwc+fence+sc";
domain 2;
global x, y, z;

thread writer {
  x.store(1, rlx);
  z.store(1, rel);
}

thread relay {
  local r, s;
  r = z.load(acq);
  fence(sc);
  s = y.load(rlx);
}

thread other {
  local r;
  y.store(1, sc);
  r = x.load(sc);
}
