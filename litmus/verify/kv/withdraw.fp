//: sc safe
//: sra assertion-fails
//: ra assertion-fails
//: rc20 assertion-fails
//: cpp20 assertion-fails
//: tso assertion-fails
//: pso assertion-fails
//: pgas assertion-fails
//: ra violation
//: rc20 violation
//: cpp20 violation
//: tso violation
//: pso violation
//: pgas violation
// Write skew: two accounts may not be overdrawn together, each has 1. Each client withdraws from
// its own account and then looks whether the other one still has something; if not it puts its
// withdrawal back. Under SC one of two concurrent clients sees the other. Causally consistent
// sessions both see the old balance, and both withdraw.
name "withdraw";
domain 4;
global balance[2] = 1, paid;

thread client[2] {
  local r, p;
  balance[me].store(0, rel);
  r = balance[1 - me].load(acq);
  if (r == 1) {
    p = paid.fadd(1, acqrel);
    assert(p == 0);
  } else {
    balance[me].store(1, rel);
  }
}
