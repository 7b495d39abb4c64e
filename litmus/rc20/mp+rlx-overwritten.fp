//: tso robust states=0
//: pso violation shape=MP states=21
//: pgas violation shape=MP states=21
//: ra robust states=13
//: rc20 violation shape=MP states=10
//: cpp20 violation shape=MP states=10
//: rc20 observational robust
//: cpp20 observational robust
// Relaxed message passing where the register with the data is overwritten before it is used. What
// the assertion sees does not depend on the stale read any more.
name "relaxed message passing, data thrown away";
domain 2;
global data, flag;

thread producer {
  data.store(1, rlx);
  flag.store(1, rlx);
}

thread consumer {
  local f, d;
  f = flag.load(rlx);
  d = data.load(rlx);
  d = f;
  if (f == 1) {
    assert(d == 1);
  }
}
