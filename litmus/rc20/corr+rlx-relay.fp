//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=7
//: rc20 robust states=7
//: cpp20 robust states=7
// Coherence across threads: one thread has read the new value of x and tells another, which cannot
// read the old one then, although no access of x synchronises.
name "corr+rlx-relay";
domain 4;
global x, y;

thread writer {
  x.store(1, rlx);
  x.store(2, rlx);
}

thread relay {
  wait(x == 2, rlx);
  y.store(1, rel);
}

thread reader {
  local r;
  wait(y == 1, acq);
  r = x.load(rlx);
  assert(r == 2);
}
