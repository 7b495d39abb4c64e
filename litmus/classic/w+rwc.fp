//: tso violation shape=W+RWC states=61
//: pso violation shape=W+RWC states=96
//: pgas violation shape=W+RWC states=96
//: ra violation shape=W+RWC states=44
//: rc20 violation shape=W+RWC states=44
//: cpp20 violation shape=W+RWC states=44
// Write, then read-to-write causality: as rwc, but the first thread announces its write through a
// flag that the second thread reads. The flag is not enough to order the third thread's store
// against anything.
name "w+rwc";
domain 2;
global x, y, z;

thread first {
  x.store(1, rlx);
  z.store(1, rel);
}

thread middle {
  local r, s;
  r = z.load(acq);
  s = y.load(acq);
}

thread last {
  local r;
  y.store(1, rel);
  r = x.load(acq);
}
