//: ra violation shape=SB states=10
//: rc20 violation shape=SB states=10
//: cpp20 violation shape=SB states=10
//: tso violation shape=SB states=31
//: pso violation shape=SB states=31
//: pgas violation shape=SB states=31
//: ra consequence none
//: rc20 consequence none
//: cpp20 consequence none
//: tso consequence none
//: pso consequence none
//: pgas consequence none
// Both find the other's flag as it was. Nobody relies on it: what is asserted holds anyway.
name "hint";
global x, y;

thread left {
  local r;
  x.store(1, rel);
  r = y.load(acq);
  assert(r <= 1);
}
thread right {
  local r;
  y.store(1, rel);
  r = x.load(acq);
  assert(r <= 1);
}
