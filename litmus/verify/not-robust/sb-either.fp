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
//: tso violation
//: pso violation
//: pgas violation
// Store buffering whose outcome does no harm: each thread raises its flag and looks at the
// other's, and goes on to a second round only if it has seen the other. What is asserted holds
// of every outcome: who has seen the other's flag does not see it down again.
name "sb-either";
domain 2;
global flag[2];

thread p[2] {
  local a, b;
  flag[me].store(1, rel);
  a = flag[1 - me].load(acq);
  b = flag[1 - me].load(acq);
  assert(b >= a);
}
