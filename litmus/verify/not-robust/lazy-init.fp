//: sc safe
//: sra safe
//: ra safe
//: rc20 safe
//: cpp20 safe
//: tso safe
//: pso assertion-fails
//: pgas assertion-fails
//: ra violation
//: rc20 violation
//: cpp20 violation
//: tso violation
//: pso violation
//: pgas violation
// Initialisation that may run twice: who finds nothing computes the value, the same for
// everybody, stores it and says that it is there. Two threads may both do so; who reads that it
// is there finds the value. Not robust: a thread that has stored both may read its own value
// although the other's is later and the other's word that it is there earlier. Nobody can tell,
// the values are the same. With a buffer for each location the word gets to memory before the
// value.
name "lazy-init";
domain 4;
global value, ready;

thread user[2] {
  local r, v;
  r = ready.load(acq);
  if (r == 0) {
    value.store(3, rel);
    ready.store(1, rel);
  }
  v = value.load(acq);
  assert(v == 3);
}
