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
// The ticket lock for three threads, for ever, with tickets that wrap around at 4.
name "ticketlock-three";
domain 4;
global next, serving, owner;

thread p[3] {
  local r, t;
  while (1) {
    t = next.fadd(1, acqrel);
    wait(serving == t, acq);
    owner.store(me, rlx);
    r = owner.load(rlx);
    assert(r == me);
    lwfence();
    serving.store(t + 1, rel);
  }
}
