//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=13
//: rc20 violation shape=MP states=10
//: cpp20 violation shape=MP states=10
// Message passing where the flag is raised by a relaxed exchange. Being a read-modify-write does
// not make it a release.
name "mp+xchg-rlx";
domain 2;
global data, flag;

thread producer {
  data.store(1, rlx);
  flag.xchg(1, rlx);
}

thread consumer {
  local r, s;
  r = flag.load(acq);
  s = data.load(rlx);
}
