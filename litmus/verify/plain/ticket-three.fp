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
// The same with three threads.
name "ticket-three";
domain 8;
global next, serving;
nonatomic data;

thread p[3] {
  local i, r, t;
  while (i < 2) {
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
