//: sc safe
//: sra safe
//: ra safe
//: rc20 safe
//: cpp20 safe
//: tso safe
//: pso safe
//: pgas safe
//: ra violation
//: rc20 violation
//: cpp20 violation
//: tso robust
//: pso robust
//: pgas robust
// The statistics without loops: two workers that count once, two observers that look twice.
// Every model can be enumerated.
name "statistics-once";
domain 4;
global count[2];

thread worker[2] {
  count[me].store(1, rlx);
}

thread observer[2] {
  local a, b, c, d;
  a = count[me].load(rlx);
  b = count[1 - me].load(rlx);
  c = count[me].load(rlx);
  d = count[1 - me].load(rlx);
  assert(c + d >= a + b);
}
