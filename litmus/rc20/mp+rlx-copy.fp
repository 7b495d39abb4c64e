//: tso robust states=0
//: pso violation shape=MP states=21
//: pgas violation shape=MP states=21
//: ra robust states=13
//: rc20 violation shape=MP states=10
//: cpp20 violation shape=MP states=10
//: rc20 observational violation kind=tainted-use location=data
//: cpp20 observational violation kind=tainted-use location=data
// Relaxed message passing where the data is copied to a second register before it is used. The
// copy is as stale as the original: an assignment passes dependencies on.
name "relaxed message passing, used through a copy";
domain 2;
global data, flag;

thread producer {
  data.store(1, rlx);
  flag.store(1, rlx);
}

thread consumer {
  local f, d, copy;
  f = flag.load(rlx);
  d = data.load(rlx);
  copy = d;
  if (f == 1) {
    assert(copy == 1);
  }
}
