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
// Transitive message passing (Lahav and Boker 2020, example 3.7): the second thread passes on
// what it has seen. Happens-before is the transitive closure of program order and reads-from, so
// the third thread cannot miss the first store. On the machines every thread has one store at
// most, and what is in memory is there for all.
name "transitive-mp";
domain 4;
global x, y;

thread p {
  y.store(1, rel);
}

thread q {
  local a;
  a = y.load(acq);
  x.store(a + 1, rel);
}

thread r {
  local b, c;
  b = x.load(acq);
  c = y.load(acq);
  assert(!(b == 2 && c == 0));
}
