//: tso robust states=0
//: pso violation shape=MP states=121
//: pgas violation shape=MP states=121
//: ra robust states=140
//: rc20 robust states=140
//: cpp20 robust states=140
// A release sequence through two relaxed updates by different threads.
name "mp+rs-long";
domain 8;
global data, flag;

thread producer {
  data.store(1, rlx);
  flag.store(1, rel);
}

thread two {
  flag.fadd(2, rlx);
}

thread four {
  flag.fadd(4, rlx);
}

thread consumer {
  local r, s;
  r = flag.load(acq);
  s = data.load(rlx);
  assert(r % 2 == 0 || s == 1);
}
