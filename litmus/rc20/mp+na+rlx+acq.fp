//: tso robust states=0
//: pso violation shape=MP states=12
//: pgas violation shape=MP states=12
//: ra robust states=5
//: rc20 violation kind=data-race location=data states=4
//: cpp20 violation kind=data-race location=data states=4
// Non-atomic data published by a relaxed store: an acquire load does not help.
name "mp+na+rlx+acq";
domain 2;
global flag;
nonatomic data;

thread producer {
  data = 1;
  flag.store(1, rlx);
}

thread consumer {
  local s;
  wait(flag == 1, acq);
  s = data;
}
