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
// Convergence: two sessions write the same key concurrently, and two others read it twice. They
// may not see the two writes in opposite orders, since modification order is one for all. The
// first reader hands on what it has seen, 1 + 4 * first + second, which is 7 for 1 and 2.
name "convergence";
domain 16;
global key, seen;

thread first {
  key.store(1, rel);
}

thread second {
  key.store(2, rel);
}

thread reader {
  local a, b;
  a = key.load(acq);
  b = key.load(acq);
  seen.store(1 + 4 * a + b, rel);
}

thread other {
  local c, d, s;
  c = key.load(acq);
  d = key.load(acq);
  s = wait(seen != 0, acq);
  assert(!(s == 7 && c == 2 && d == 1));
}
