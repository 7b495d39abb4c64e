//: tso robust states=0
//: pso violation shape=MP states=19
//: pgas violation shape=MP states=19
//: ra robust states=13
//: rc20 robust states=13
//: cpp20 robust states=13
// Message passing from a release store to a relaxed load with an acquire fence behind it.
name "mp+rel+fence";
domain 2;
global data, flag;

thread producer {
  data.store(1, rlx);
  flag.store(1, rel);
}

thread consumer {
  local r, s;
  r = flag.load(rlx);
  fence(acq);
  s = data.load(rlx);
}
