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
// The barrier of flags with relaxed flags: under RC20 nothing says that the data are there.
name "barrier-flags-relaxed";
domain 2;
global data[2], flag[2];

thread p[2] {
  local r;
  data[me].store(1, rlx);
  flag[me].store(1, rlx);
  wait(flag[1 - me] == 1, rlx);
  r = data[1 - me].load(rlx);
  assert(r == 1);
}
