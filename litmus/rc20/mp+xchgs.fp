//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=13
//: rc20 robust states=13
//: cpp20 robust states=13
// Message passing where the flag is raised by a release exchange and read by an acquire
// fetch-and-add of 0.
name "mp+xchgs";
domain 2;
global data, flag;

thread producer {
  data.store(1, rlx);
  flag.xchg(1, rel);
}

thread consumer {
  local r, s;
  r = flag.fadd(0, acq);
  s = data.load(rlx);
}
