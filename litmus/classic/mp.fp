//: tso robust states=0
//: pso violation shape=MP states=21
//: pgas violation shape=MP states=21
//: ra robust states=13
//: rc20 robust states=13
//: cpp20 robust states=13
// Message passing: the idiom that release and acquire exist for. Who sees the flag sees the data.
// A reader that misses the flag just counts as having come earlier.
name "mp";
domain 2;
global data, flag;

thread producer {
  data.store(1, rlx);
  flag.store(1, rel);
}

thread consumer {
  local f, d;
  f = flag.load(acq);
  d = data.load(rlx);
  assert(f == 0 || d == 1);
}
