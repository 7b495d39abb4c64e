//: sc safe
//: sra safe
//: ra safe
//: rc20 safe
//: cpp20 safe
//: tso safe
//: pso assertion-fails
//: pgas assertion-fails
//: ra robust
//: rc20 robust
//: cpp20 robust
//: tso robust
//: pso violation
//: pgas violation
// Monotonic writes: a session makes a document and then enters it into an index, again and
// again; who finds it in the index finds the document in that version or a later one. The writes
// of a session are seen in their order under causal consistency. With a buffer for each location
// the index may be in memory first.
name "monotonic-writes";
domain 4;
global document, index;

thread author {
  local v;
  while (v < 3) {
    v = v + 1;
    document.store(v, rel);
    index.store(v, rel);
  }
}

thread reader {
  local i, d;
  while (1) {
    i = index.load(acq);
    d = document.load(acq);
    assert(d >= i);
  }
}
