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
// Monotonic reads: a session writes versions 1, 2 and 3 of a key, and two others look again and
// again; the version they see never goes back. Per key, causal consistency gives that
// (read-coherence), and so does every other model here.
name "monotonic-reads";
domain 4;
global key;

thread writer {
  local v = 1;
  do {
    key.store(v, rel);
    v = v + 1;
  } while (v != 0);
}

thread reader[2] {
  local old, new;
  while (1) {
    new = key.load(acq);
    assert(new >= old);
    old = new;
  }
}
