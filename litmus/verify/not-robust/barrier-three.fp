//: sc safe
//: sra safe
//: ra safe
//: rc20 safe
//: cpp20 safe
//: tso safe
//: pso safe
//: pgas safe
//: ra robust
//: rc20 violation
//: cpp20 violation
//: tso robust
//: pso robust
//: pgas robust
// The sense-reversing barrier for three threads, for two phases, with relaxed accesses of the
// phases. Not robust under RC20: a thread that has seen another one in the next phase may miss
// that a third one is there, which that other one has seen. All the same every phase it finds is
// this one or the next, which the states of views show.
name "barrier-three";
domain 4;
const N = 3;
global count, sense, data[N];

thread p[N] {
  local k, s, c, d;
  while (k < 2) {
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
    d = data[int((me + 1) % N)].load(rlx);
    assert(d == k || d == k + 1);
    d = data[int((me + 2) % N)].load(rlx);
    assert(d == k || d == k + 1);
  }
}
