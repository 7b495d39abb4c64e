//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=8
//: rc20 robust states=8
//: cpp20 robust states=8
// Coherence of two reads: a thread that has seen the newer value of a location never sees the
// older one again.
name "corr";
domain 2;
global x;

thread writer { x.store(1, rlx); }

thread reader {
  local r, s;
  r = x.load(rlx);
  s = x.load(rlx);
  assert(r <= s);
}
