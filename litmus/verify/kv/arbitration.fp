//: sc safe
//: sra safe
//: ra assertion-fails
//: rc20 assertion-fails
//: cpp20 assertion-fails
//: tso safe
//: pso assertion-fails
//: pgas assertion-fails
//: ra violation
//: rc20 violation
//: cpp20 violation
//: tso robust
//: pso violation
//: pgas violation
// What separates causal convergence from causal consistency per key, that is SRA from RA (Lahav
// and Boker 2020, example 3.11): two sessions update two keys in opposite orders, and the one
// whose first update was overwritten knows that it came first. Both cannot come first if one
// order of all writes agrees with causality; under RA each key has an order of its own, and both
// sessions find their second update overwritten by the other's first. A session that finds its
// second update in place hands on 2.
name "arbitration";
domain 4;
global left, right, out;

thread session {
  local a;
  left.store(1, rel);
  right.store(2, rel);
  a = right.load(acq);
  out.store(a, rel);
}

thread other {
  local a, b;
  right.store(1, rel);
  left.store(2, rel);
  b = left.load(acq);
  a = wait(out != 0, acq);
  assert(!(a == 1 && b == 1));
}
