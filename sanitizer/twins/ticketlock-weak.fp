//: rc20 violation kind=data-race
//: cpp20 violation kind=data-race
// A ticket lock that calls the next one with a relaxed store: who is called has not been told what was done before.
name "ticketlock-weak";
domain 8;
const N = 2;
global next, serving;
nonatomic owner;

thread p[N] {
  local t, r;
  t = next.fadd(1, acqrel);
  wait(serving == t, acq);
  owner = me;
  r = owner;
  assert(r == me);
  serving.store(t + 1, rlx);
}
