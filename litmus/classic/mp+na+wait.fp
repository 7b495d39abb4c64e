//: tso robust states=0
//: pso violation shape=MP states=12
//: pgas violation shape=MP states=12
//: ra robust states=5
//: rc20 robust states=5
//: cpp20 robust states=5
// Message passing with non-atomic data behind a blocking wait for the flag: no race, and no stale
// value.
name "mp+na+wait";
domain 2;
global flag;
nonatomic data;

thread producer {
  data = 1;
  flag.store(1, rel);
}

thread consumer {
  local d;
  wait(flag == 1, acq);
  d = data;
  assert(d == 1);
}
