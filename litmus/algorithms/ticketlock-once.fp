//: tso robust states=0
//: pso violation shape=S states=86
//: pgas violation shape=S states=86
//: ra robust states=299
//: rc20 robust states=347
//: cpp20 robust states=347
// The ticket lock with a relaxed draw where each thread enters a few times and no number is used
// twice. A ticket can be served by one call only, so it does no harm that drawing synchronises with
// nobody; compare ticketlock.
name "ticketlock-once";
domain 8;
const N = 2;
const ROUNDS = 3;
global next, serving;
nonatomic owner;

thread p[N] {
  local t, r, i;
  while (i < ROUNDS) {
    t = next.fadd(1, rlx);
    wait(serving == t, acq);
    owner = me;
    r = owner;
    assert(r == me);
    serving.store(t + 1, rel);
    i = i + 1;
  }
}
