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
// A barrier of flags for two threads (Lahav and Margalit 2019, program BAR), once: data written
// in front of it are there behind it. With a buffer for each location the flag overtakes the
// data.
name "barrier-flags";
domain 2;
global data[2], flag[2];

thread p[2] {
  local r;
  data[me].store(1, rlx);
  flag[me].store(1, rel);
  wait(flag[1 - me] == 1, acq);
  r = data[1 - me].load(rlx);
  assert(r == 1);
}
