//: tso robust states=0
//: pso violation shape=MP states=81
//: pgas violation shape=MP states=81
//: ra violation states=71
//: rc20 violation states=71
//: cpp20 violation states=71
// Message passing with two producers that fill the same data and raise the same flag blindly. A
// consumer that has read flag and data of the first one comes before the second one's data; yet
// the second flag may be ordered before the first, as if raised long ago, because its writer has
// not seen what it overwrites.
name "mp+two-writers";
domain 4;
global data, flag;

thread producer[2] {
  data.store(me + 1, rlx);
  flag.store(me + 1, rel);
}

thread consumer {
  local f, d;
  f = flag.load(acq);
  d = data.load(rlx);
}
