//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=13
//: rc20 robust states=13
//: cpp20 robust states=13
// Message passing from a relaxed store behind a release fence to an acquire load.
name "mp+fence+acq";
domain 2;
global data, flag;

thread producer {
  data.store(1, rlx);
  fence(rel);
  flag.store(1, rlx);
}

thread consumer {
  local r, s;
  r = flag.load(acq);
  s = data.load(rlx);
}
