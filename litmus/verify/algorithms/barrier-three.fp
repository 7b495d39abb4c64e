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
// The sense-reversing barrier for three threads, for two phases. The phases are written and read
// with release and acquire: compare not-robust/barrier-three.
name "barrier-three";
domain 4;
const N = 3;
global count, sense, data[N];

thread p[N] {
  local k, s, c, d;
  while (k < 2) {
    k = k + 1;
    data[me].store(k, rel);
    s = 1 - s;
    c = count.fadd(1, acqrel);
    if (c == N - 1) {
      count.store(0, rlx);
      lwfence();
      sense.store(s, rel);
    } else {
      wait(sense == s, acq);
    }
    d = data[int((me + 1) % N)].load(acq);
    assert(d == k || d == k + 1);
    d = data[int((me + 2) % N)].load(acq);
    assert(d == k || d == k + 1);
  }
}
