//: tso robust states=0
//: pso violation shape=MP states=19
//: pgas violation shape=MP states=19
//: ra robust states=13
//: rc20 violation shape=MP states=10
//: cpp20 violation shape=MP states=10
// Message passing with SC accesses of the data and relaxed ones of the flag. An SC store followed
// by a relaxed one is in no way ordered before it for others.
name "mp+sc-data";
domain 2;
global data, flag;

thread producer {
  data.store(1, sc);
  flag.store(1, rlx);
}

thread consumer {
  local r, s;
  r = flag.load(rlx);
  s = data.load(sc);
}
