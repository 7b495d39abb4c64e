//: tso robust states=0
//: pso violation shape=MP states=12
//: pgas violation shape=MP states=12
//: ra robust states=6
//: rc20 violation shape=MP states=5
//: cpp20 violation shape=MP states=5
//: rc20 observational violation
//: cpp20 observational violation
// Message passing with relaxed accesses and a loop that waits for the flag (Margalit and Lahav
// 2021, example 4.2). The assertion holds in every SC run and fails on common processors.
// not observationally robust (POPL 2021, example 4.15): the assertion uses the stale value
name "mp+loop+rlx";
domain 2;
global data, flag;

thread producer {
  data.store(1, rlx);
  flag.store(1, rlx);
}

thread consumer {
  local r, s;
  do { r = flag.load(rlx); } while (r == 0);
  s = data.load(rlx);
  assert(s == 1);
}
