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
// Two threads that write two locations in opposite orders and then look at the second one (Lahav
// and Boker 2020, example 3.11): what separates RA from SRA. Both can find that the other's
// first write is later than their own second one: then modification order has y=2 before y=1 and
// x=2 before x=1, which with program order is a cycle. RA looks at each location for itself and
// does not mind, SRA does. TSO empties buffers in order; with one buffer for each location the
// second store of each thread gets to memory first.
name "2+2w";
domain 4;
global x, y, out;

thread p {
  local a;
  x.store(1, rel);
  y.store(2, rel);
  a = y.load(acq);
  out.store(a, rel);
}

thread q {
  local a, b;
  y.store(1, rel);
  x.store(2, rel);
  b = x.load(acq);
  a = wait(out != 0, acq);
  assert(!(a == 1 && b == 1));
}
