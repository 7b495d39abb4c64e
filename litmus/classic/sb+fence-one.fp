//: tso violation shape=SB states=20
//: pso violation shape=SB states=20
//: pgas violation shape=SB states=20
//: ra violation states=14
//: rc20 violation states=14
//: cpp20 violation states=10
// Store buffering with a fence on one side only. A lone SC fence has no partner to synchronise
// with, so it changes nothing: the other thread still reads 0 after both stores have happened.
name "sb+fence-one";
domain 2;
global x, y;

thread left {
  local r;
  x.store(1, rlx);
  fence(sc);
  r = y.load(rlx);
}

thread right {
  local r;
  y.store(1, rel);
  r = x.load(acq);
}
