//: tso robust states=0
//: pso violation shape=S states=1187
//: pgas violation shape=S states=1187
//: ra robust states=148847
//: rc20 robust states=148847
//: cpp20 robust states=148847
// The ticket lock for four threads, with eight tickets that are reused for ever. Drawing a ticket
// acquires and releases: the draw before was made after the calls that its thread had made, so an
// old call with the same number is known to be over. With a relaxed draw (ticketlock) it is not.
name "ticketlock4";
domain 8;
const N = 4;
global next, serving;
nonatomic owner;

thread p[N] {
  local t, r;
  while (1) {
    t = next.fadd(1, acqrel);
    wait(serving == t, acq);
    owner = me;
    r = owner;
    assert(r == me);
    serving.store(t + 1, rel);
  }
}
