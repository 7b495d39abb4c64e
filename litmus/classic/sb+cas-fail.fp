//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra violation kind=stale-read shape=SB states=10
//: rc20 violation kind=stale-read shape=SB states=10
//: cpp20 violation kind=stale-read shape=SB states=10
// Store buffering where the loads are strong compare-and-swaps that cannot succeed. A failed
// compare-and-swap is just a read, and may be as stale as any.
name "sb+cas-fail";
domain 4;
global x, y;

thread left {
  local r;
  x.store(1, rel);
  r = y.cas(2, 3, acqrel, acq);
}

thread right {
  local r;
  y.store(1, rel);
  r = x.cas(2, 3, acqrel, acq);
}
