//: tso robust states=0
//: pso violation shape=MP states=19
//: pgas violation shape=MP states=19
//: ra robust states=13
//: rc20 violation shape=MP states=10
//: cpp20 violation shape=MP states=10
// Message passing with an SC store and a relaxed load of the flag: strength on one side only.
name "mp+sc-store";
domain 2;
global data, flag;

thread producer {
  data.store(1, sc);
  flag.store(1, sc);
}

thread consumer {
  local r, s;
  r = flag.load(rlx);
  s = data.load(rlx);
}
