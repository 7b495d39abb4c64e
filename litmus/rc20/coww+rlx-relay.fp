//: tso robust states=0
//: pso violation shape=S states=17
//: pgas violation shape=S states=17
//: ra robust states=9
//: rc20 robust states=9
//: cpp20 robust states=9
// Coherence of writes across threads: a thread that is told of a write overwrites it, and its own
// write is the newer one.
name "coww+rlx-relay";
domain 4;
global x, y;

thread left {
  x.store(1, rlx);
  y.store(1, rel);
}

thread right {
  local r;
  r = y.load(acq);
  if (r == 1) {
    x.store(2, rlx);
    r = x.load(rlx);
    assert(r == 2);
  }
}
