//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=9
//: rc20 robust states=9
//: cpp20 robust states=9
// Coherence of a write and the read after it: a thread reads its own write or a newer one, never
// an older one.
name "cowr";
domain 4;
global x;

thread left {
  local r;
  x.store(1, rlx);
  r = x.load(rlx);
  assert(r != 0);
}

thread right { x.store(2, rlx); }
