//: tso violation shape=SB states=31
//: pso violation shape=SB states=31
//: pgas violation shape=SB states=31
//: ra violation shape=SB states=10
//: rc20 violation shape=SB states=10
//: cpp20 violation shape=SB states=10
// Store buffering with SC stores and acquire loads. ARMv8.3 has an acquire load that may overtake
// an SC store.
name "sb+sc-stores+acq";
domain 2;
global x, y;

thread left {
  local r;
  x.store(1, sc);
  r = y.load(acq);
}

thread right {
  local r;
  y.store(1, sc);
  r = x.load(acq);
}
