//: tso robust states=0
//: pso violation shape=MP states=39
//: pgas violation shape=MP states=39
//: ra robust states=27
//: rc20 violation location=late states=24
//: cpp20 violation location=late states=24
// A release fence covers what comes before it, not what comes between it and the store of the flag:
// the early data is published, the late data is not.
name "mp+fence-early";
domain 2;
global early, late, flag;

thread producer {
  early.store(1, rlx);
  fence(rel);
  late.store(1, rlx);
  flag.store(1, rlx);
}

thread consumer {
  local r, s, t;
  r = flag.load(acq);
  s = early.load(rlx);
  t = late.load(rlx);
}
