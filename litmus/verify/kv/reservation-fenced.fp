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
// The reservation with a fence between the claim and the look, which no database has, but a
// machine has: one winner. A database needs a compare-and-set, see reservation-cas.
name "reservation-fenced";
domain 2;
const N = 2;
global claim[N], winners;

thread client[N] {
  local r, c, w;
  do {
    claim[me].store(1, rel);
    fence(sc);
    c = 0;
    r = claim[1 - me].load(acq);
    c = c || r;
    if (c) {
      claim[me].store(0, rel);
    }
  } while (c);
  w = winners.fadd(1, acqrel);
  assert(w == 0);
}
