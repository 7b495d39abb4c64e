//: tso robust states=0
//: pso violation shape=S states=80
//: pgas violation shape=S states=80
//: ra robust states=252
//: rc20 violation states=145
//: cpp20 violation states=145
// The ticket lock (Reed and Kanodia 1979; Linux used it since 2008): draw a number, wait for it to
// be called, call the next one. Tickets wrap around, which is fine while there are more of them
// than threads. Each call follows the one before in happens-before, so there is nothing stale to
// be served by. With a relaxed draw, as written, reuse matters: who draws a number for the second
// time it is in use has learned nothing of the calls in between, and may be served by the call of
// the first time. That takes a whole round of tickets, so practice does not notice. Compare
// ticketlock4, where drawing synchronises, and ticketlock-once, where no number is used twice.
name "ticketlock";
domain 4;
const N = 2;
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
