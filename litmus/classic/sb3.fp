//: tso violation shape=3.SB states=159
//: pso violation shape=3.SB states=159
//: pgas violation shape=3.SB states=159
//: ra violation shape=3.SB states=44
//: rc20 violation shape=3.SB states=44
//: cpp20 violation shape=3.SB states=44
// Store buffering around a ring of three threads: each stores to its own location and reads the
// next one's.
name "sb3";
domain 4;
const N = 3;
global x[N];

thread p[N] {
  local r;
  x[me].store(1, rel);
  r = x[(me + 1) % N].load(acq);
}
