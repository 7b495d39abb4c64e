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
// A ticket lock whose tickets are drawn by relaxed updates: what is passed on is passed on by
// `serving`. (For ever, the numbers would wrap round, and a ticket be served twice.)
name "ticket-two";
domain 8;
global next, serving;
nonatomic data;

thread p[2] {
  local i, r, t;
  while (i < 3) {
    t = next.fadd(1, rlx);
    wait(serving == t, acq);
    r = data;
    data = r + 1;
    serving.store(t + 1, rel);
    i = i + 1;
  }
  wait(serving == 6, acq);
  r = data;
  assert(r == 6);
}
