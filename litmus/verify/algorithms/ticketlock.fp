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
// The ticket lock (Reed and Kanodia 1979) for two threads, for ever; tickets wrap around at 4.
// Drawing a ticket synchronises with the draws before it, so nobody is served by a call of the
// round before. The light fence keeps the write of owner in front of the call where each
// location has its buffer.
name "ticketlock";
domain 4;
global next, serving, owner;

thread p[2] {
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
