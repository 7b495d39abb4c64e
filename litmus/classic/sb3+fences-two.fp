//: tso violation shape=3.SB states=89
//: pso violation shape=3.SB states=89
//: pgas violation shape=3.SB states=89
//: ra violation states=76
//: rc20 violation states=76
//: cpp20 violation states=44
// The ring of three with one fence missing. The unfenced thread may read its neighbour's initial
// value even when the two fences say that the neighbour stored long ago.
name "sb3+fences-two";
domain 4;
const N = 3;
global x[N];

thread p[N] {
  local r;
  x[me].store(1, rel);
  if (me != 2) {
    fence(sc);
  }
  r = x[(me + 1) % N].load(acq);
}
