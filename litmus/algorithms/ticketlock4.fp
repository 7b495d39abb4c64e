//: ra robust states=148847
// The ticket lock for four threads, with eight tickets that are reused for ever.
name "ticketlock4";
domain 8;
const N = 4;
global next, serving;
nonatomic owner;

thread p[N] {
  local t, r;
  while (1) {
    t = next.fadd(1, rlx);
    wait(serving == t, acq);
    owner = me;
    r = owner;
    assert(r == me);
    serving.store(t + 1, rel);
  }
}
