//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=13
//: rc20 robust states=13
//: cpp20 robust states=13
// Coherence of writes: two threads write the same location twice each. The order of writes must
// respect both threads, and any such order is an interleaving.
name "coww";
domain 8;
global x;

thread left {
  x.store(1, rlx);
  x.store(2, rlx);
}

thread right {
  x.store(3, rlx);
  x.store(4, rlx);
}
