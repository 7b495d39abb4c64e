//: ra violation shape=SB
//: rc20 violation shape=SB
//: cpp20 violation shape=SB
//: tso violation shape=SB
//: pso violation shape=SB
//: pgas violation shape=SB
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
