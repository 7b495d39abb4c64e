//: sc safe
//: sra safe
//: ra safe
//: rc20 assertion-fails
//: cpp20 assertion-fails
//: tso safe
//: pso assertion-fails
//: pgas assertion-fails
//: ra robust
//: rc20 violation
//: cpp20 violation
//: tso robust
//: pso violation
//: pgas violation
// Message passing with a relaxed flag. SRA and RA take every access for release and acquire, so
// for them it is the example 3.6 of Lahav and Boker 2020 and the data arrive; under RC20 nothing
// synchronises and the reader may find the old value.
name "mp-rlx";
domain 2;
global x, y;

thread p {
  x.store(1, rlx);
  y.store(1, rlx);
}

thread q {
  local a, b;
  a = y.load(rlx);
  b = x.load(rlx);
  assert(!(a == 1 && b == 0));
}
