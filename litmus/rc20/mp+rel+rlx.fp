//: tso robust states=0
//: pso violation shape=MP states=19
//: pgas violation shape=MP states=19
//: ra robust states=13
//: rc20 violation shape=MP states=10
//: cpp20 violation shape=MP states=10
// Message passing with a release store and a relaxed load of the flag. Synchronisation takes two.
name "mp+rel+rlx";
domain 2;
global data, flag;

thread producer {
  data.store(1, rlx);
  flag.store(1, rel);
}

thread consumer {
  local r, s;
  r = flag.load(rlx);
  s = data.load(rlx);
}
