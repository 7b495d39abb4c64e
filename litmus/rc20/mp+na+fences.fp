//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=5
//: rc20 robust states=5
//: cpp20 robust states=5
// Non-atomic data published by a relaxed store behind a release fence, and read behind an acquire
// fence.
name "mp+na+fences";
domain 2;
global flag;
nonatomic data;

thread producer {
  data = 1;
  fence(rel);
  flag.store(1, rlx);
}

thread consumer {
  local s;
  wait(flag == 1, rlx);
  fence(acq);
  s = data;
  assert(s == 1);
}
