//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=9
//: rc20 robust states=9
//: cpp20 robust states=9
// Two compare-and-swaps from 0 to 1: exactly one of them wins, because no write is consumed by two
// updates.
name "2rmw";
domain 2;
global x;
nonatomic winner;

thread p[2] {
  local r;
  r = x.cas(0, 1, acqrel, acq);
  if (r == 0) {
    winner = me;
  }
}
