//: sc safe
//: sra assertion-fails
//: ra assertion-fails
//: rc20 assertion-fails
//: cpp20 assertion-fails
//: tso assertion-fails
//: pso assertion-fails
//: pgas assertion-fails
//: ra violation
//: rc20 violation
//: cpp20 violation
//: tso violation
//: pso violation
//: pgas violation
// A client that assumes more than causal consistency: who wants the last seat claims it and
// looks whether somebody else has; if so it gives up its claim and tries again, otherwise it has
// won. Under SC there is one winner at most. Causally consistent sessions need not see each
// other's claims: both win. So do two threads with store buffers.
name "reservation";
domain 2;
const N = 2;
global claim[N], winners;

thread client[N] {
  local r, c, w;
  do {
    claim[me].store(1, rel);
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
