//: tso violation shape=W+RWC states=61
//: pso violation shape=W+RWC states=96
//: pgas violation shape=W+RWC states=96
//: ra violation shape=W+RWC states=44
//: rc20 violation shape=W+RWC states=44
//: cpp20 violation shape=W+RWC states=44
//: rc20 observational violation
//: cpp20 observational violation
// The shape w+rwc where two of the three loads are used (Margalit and Lahav 2021, remark 2). A
// graph with the stale values is equivalent to an SC one, by changing the load nobody uses; that
// alone does not make a program observationally robust.
// not observationally robust (POPL 2021, remark 2)
name "w+rwc+asserts";
domain 2;
global x, y, z;

thread first {
  x.store(1, rel);
  y.store(1, rel);
}

thread middle {
  local r, s;
  r = y.load(acq);
  s = z.load(acq);
  assert(s == s);
}

thread last {
  local r;
  z.store(1, rel);
  r = x.load(acq);
  assert(r == r);
}
