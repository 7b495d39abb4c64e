//: sc safe
//: sra safe
//: ra safe
//: rc20 safe
//: cpp20 safe
//: tso safe
//: pso safe
//: pgas safe
//: ra robust
//: rc20 robust
//: cpp20 robust
//: tso robust
//: pso robust
//: pgas robust
// A client of a causally consistent key-value store (SRA is causal convergence: Lahav and Boker
// 2020, section 1). Read your writes: two sessions write the same key, for ever, and what a
// session reads back is its own value or one that came later, never one from before its write.
// One key alone is coherent in every model here.
name "read-your-writes";
domain 4;
global key;

thread session[2] {
  local r;
  while (1) {
    key.store(me + 1, rel);
    r = key.load(acq);
    assert(r != 0);
  }
}
