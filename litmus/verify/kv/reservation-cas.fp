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
// The reservation by a compare-and-set on one key, which is more than causal consistency as
// databases define it, but part of SRA (Lahav and Boker 2020, section 3.1): three clients try
// until the seat is taken, and one wins.
name "reservation-cas";
domain 4;
global seat, winners;

thread client[3] {
  local r, w;
  r = seat.cas(0, me + 1, acqrel, acq);
  if (r == 0) {
    w = winners.fadd(1, acqrel);
    assert(w == 0);
  } else {
    w = seat.load(acq);
    assert(w == r);
  }
}
