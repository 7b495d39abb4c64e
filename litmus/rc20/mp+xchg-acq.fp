//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=13
//: rc20 violation shape=MP states=10
//: cpp20 violation shape=MP states=10
// Message passing where the flag is raised by an acquire exchange and read by a release one: each
// of them has the half of acquire-release that is of no use in its place.
name "mp+xchg-acq";
domain 2;
global data, flag;

thread producer {
  data.store(1, rlx);
  flag.xchg(1, acq);
}

thread consumer {
  local r, s;
  r = flag.fadd(0, rel);
  s = data.load(rlx);
}
