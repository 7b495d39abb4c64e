//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=8
//: rc20 robust states=8
//: cpp20 robust states=8
// Coherence of a read and the write after it: what a thread reads is older than what it writes
// next.
name "corw";
domain 4;
global x;

thread left {
  local r;
  r = x.load(rlx);
  x.store(1, rlx);
  assert(r != 1);
}

thread right { x.store(2, rlx); }
