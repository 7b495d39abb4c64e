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
// A sense-reversing barrier (Hensgen, Finkel and Manber 1988) for two threads, for ever: each
// writes the number of its phase, arrives, and finds the other in the same phase or in the next
// one, from which it cannot get on alone. Arrivals are updates of one counter, so the last one
// knows what all others wrote, and hands it on with the sense. The light fence keeps the reset
// of the counter in front of the sense where each location has its buffer.
name "barrier";
domain 4;
const N = 2;
global count, sense, data[N];

thread p[N] {
  local k, s, c, d;
  while (1) {
    k = k + 1;
    data[me].store(k, rlx);
    s = 1 - s;
    c = count.fadd(1, acqrel);
    if (c == N - 1) {
      count.store(0, rlx);
      lwfence();
      sense.store(s, rel);
    } else {
      wait(sense == s, acq);
    }
    d = data[1 - me].load(rlx);
    assert(d == k || d == k + 1);
  }
}
