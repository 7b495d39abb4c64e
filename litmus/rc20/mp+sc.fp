//: tso robust states=0
//: pso violation shape=MP states=19
//: pgas violation shape=MP states=19
//: ra robust states=13
//: rc20 robust states=13
//: cpp20 robust states=13
// Message passing with SC accesses, which are release stores and acquire loads among other things.
name "mp+sc";
domain 2;
global data, flag;

thread producer {
  data.store(1, sc);
  flag.store(1, sc);
}

thread consumer {
  local r, s;
  r = flag.load(sc);
  s = data.load(sc);
}
