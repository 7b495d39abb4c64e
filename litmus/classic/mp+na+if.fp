//: tso robust states=0
//: pso violation shape=MP states=15
//: pgas violation shape=MP states=15
//: ra robust states=8
//: rc20 robust states=8
//: cpp20 robust states=8
// Message passing with non-atomic data that is read only when the flag was seen. The acquire load
// that returns 1 orders the read after the write, so there is no race.
name "mp+na+if";
domain 2;
global flag;
nonatomic data;

thread producer {
  data = 1;
  flag.store(1, rel);
}

thread consumer {
  local f, d;
  f = flag.load(acq);
  if (f == 1) {
    d = data;
    assert(d == 1);
  }
}
