//: tso robust states=0
//: pso violation shape=MP states=19
//: pgas violation shape=MP states=19
//: ra robust states=13
//: rc20 robust states=13
//: cpp20 robust states=13
// Message passing with an SC flag and relaxed data: the flag synchronises.
name "mp+sc-flag";
domain 2;
global data, flag;

thread producer {
  data.store(1, rlx);
  flag.store(1, sc);
}

thread consumer {
  local r, s;
  r = flag.load(sc);
  s = data.load(rlx);
}
