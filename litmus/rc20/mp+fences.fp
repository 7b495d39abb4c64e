//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=13
//: rc20 robust states=13
//: cpp20 robust states=13
// Message passing with relaxed accesses, a release fence before the flag is raised and an acquire
// fence after it is seen. The fences synchronise with each other through the flag.
name "mp+fences";
domain 2;
global data, flag;

thread producer {
  data.store(1, rlx);
  fence(rel);
  flag.store(1, rlx);
}

thread consumer {
  local r, s;
  r = flag.load(rlx);
  fence(acq);
  s = data.load(rlx);
  assert(r == 0 || s == 1);
}
