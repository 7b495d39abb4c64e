//: ra violation shape=SB states=12
//: rc20 violation shape=SB states=12
//: cpp20 violation shape=SB states=12
//: tso violation shape=SB states=45
//: pso violation shape=SB states=45
//: pgas violation shape=SB states=45
//: ra consequence failure
//: rc20 consequence failure
//: cpp20 consequence failure
//: tso consequence failure
//: pso consequence failure
//: pgas consequence failure
// Store buffering that somebody looks at: both threads enter, which no SC run lets them.
name "sb+assert";
global x, y, inside;

thread left {
  local r;
  x.store(1, rel);
  r = y.load(acq);
  if (r == 0) { inside.fadd(1, acqrel); }
}

thread right {
  local r;
  y.store(1, rel);
  r = x.load(acq);
  if (r == 0) {
    r = inside.load(acq);
    assert(r == 0);
  }
}
