//: tso robust states=0
//: pso violation shape=MP states=25
//: pgas violation shape=MP states=25
//: ra robust states=13
//: rc20 violation shape=MP states=10
//: cpp20 violation shape=MP states=10
// Message passing with an acquire fence where a release fence belongs and the reverse. Neither does
// anything here.
name "mp+fences-swapped";
domain 2;
global data, flag;

thread producer {
  data.store(1, rlx);
  fence(acq);
  flag.store(1, rlx);
}

thread consumer {
  local r, s;
  r = flag.load(rlx);
  fence(rel);
  s = data.load(rlx);
}
