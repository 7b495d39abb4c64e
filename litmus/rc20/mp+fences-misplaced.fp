//: tso robust states=0
//: pso violation shape=MP states=31
//: pgas violation shape=MP states=31
//: ra robust states=13
//: rc20 violation shape=MP states=10
//: cpp20 violation shape=MP states=10
// Message passing with the right fences in the wrong places: the release fence comes after the
// store of the flag, the acquire fence before its load.
name "mp+fences-misplaced";
domain 2;
global data, flag;

thread producer {
  data.store(1, rlx);
  flag.store(1, rlx);
  fence(rel);
}

thread consumer {
  local r, s;
  fence(acq);
  r = flag.load(rlx);
  s = data.load(rlx);
}
