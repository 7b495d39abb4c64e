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
// Two updates of one write (Lahav and Boker 2020, example 3.9): the two compare-and-swaps cannot
// both find 0. Modification order puts one of them first, and by atomicity the other reads from
// it or from something later. Buffers are empty at a compare-and-swap.
name "2rmw";
domain 4;
global x, out;

thread p {
  local a;
  a = x.cas(0, 1, acqrel, acq);
  out.store(a + 1, rel);
}

thread q {
  local a, b;
  b = x.cas(0, 1, acqrel, acq);
  a = wait(out != 0, acq);
  assert(!(a == 1 && b == 0));
}
