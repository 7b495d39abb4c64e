//: tso robust states=0
//: pso violation shape=MP states=15
//: pgas violation shape=MP states=15
//: ra robust states=8
//: rc20 violation kind=data-race location=data states=7
//: cpp20 violation kind=data-race location=data states=7
// Non-atomic data published by a relaxed store and read after a relaxed load has seen it: a race,
// whatever the processor does.
name "mp+na+rlx";
domain 2;
global flag;
nonatomic data;

thread producer {
  data = 1;
  flag.store(1, rlx);
}

thread consumer {
  local r, s;
  r = flag.load(rlx);
  if (r == 1) {
    s = data;
  }
}
