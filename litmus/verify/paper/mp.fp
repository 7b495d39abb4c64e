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
// Message passing (Lahav and Boker 2020, example 3.6): who sees the flag sees the data. Reading
// the flag makes the data happen before, and read-coherence forbids the older value. TSO keeps
// stores in order; with a buffer for each location the flag can get to memory first.
name "mp";
domain 2;
global x, y;

thread p {
  x.store(1, rel);
  y.store(1, rel);
}

thread q {
  local a, b;
  a = y.load(acq);
  b = x.load(acq);
  assert(!(a == 1 && b == 0));
}
