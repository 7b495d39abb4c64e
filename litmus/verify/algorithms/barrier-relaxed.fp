//: sc safe
//: sra safe
//: ra safe
//: rc20 assertion-fails
//: cpp20 assertion-fails
//: tso safe
//: pso safe
//: pgas safe
//: ra robust
//: rc20 violation
//: cpp20 violation
//: tso robust
//: pso violation
//: pgas violation
// The sense-reversing barrier with arrivals that are relaxed. To SRA and RA they synchronise;
// under RC20 the last one to arrive does not know the other's phase. Without a light fence the
// sense may get to memory before the reset of the counter where each location has its buffer:
// then a thread arrives at a counter that was not reset, and the two wait for each other for
// ever, which is bad, but nobody passes the barrier too early.
name "barrier-relaxed";
domain 4;
const N = 2;
global count, sense, data[N];

thread p[N] {
  local k, s, c, d;
  while (1) {
    k = k + 1;
    data[me].store(k, rlx);
    s = 1 - s;
    c = count.fadd(1, rlx);
    if (c == N - 1) {
      count.store(0, rlx);
      sense.store(s, rel);
    } else {
      wait(sense == s, acq);
    }
    d = data[1 - me].load(rlx);
    assert(d == k || d == k + 1);
  }
}
