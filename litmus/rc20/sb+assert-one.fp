//: tso violation shape=SB states=31
//: pso violation shape=SB states=31
//: pgas violation shape=SB states=31
//: ra violation shape=SB states=10
//: rc20 violation shape=SB states=10
//: cpp20 violation shape=SB states=10
//: rc20 observational violation
//: cpp20 observational violation
// Store buffering where only one thread uses what it loads (Margalit and Lahav 2021, example 4.19).
// The other load may be moved to the front without anybody noticing.
// observationally robust (POPL 2021, example 4.19), although a witness against it exists
name "sb+assert-one";
domain 2;
global x, y;

thread left {
  local r;
  x.store(1, rel);
  r = y.load(acq);
}

thread right {
  local r;
  y.store(1, rel);
  r = x.load(acq);
  assert(r == r);
}
