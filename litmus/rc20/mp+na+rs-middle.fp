//: tso robust states=0
//: pso violation shape=MP states=15
//: pgas violation shape=MP states=15
//: ra robust states=9
//: rc20 violation kind=data-race location=data states=4
//: cpp20 violation kind=data-race location=data states=4
// As mp+na+rs, but the thread in the middle looks at the data itself. The sequence is good for
// those who acquire; it has only passed it on.
name "mp+na+rs-middle";
domain 4;
global flag;
nonatomic data;

thread producer {
  data = 1;
  flag.store(1, rel);
}

thread updater {
  local r;
  flag.bcas(1, 2, rlx);
  r = data;
}

thread consumer {
  local r;
  wait(flag == 2, acq);
  r = data;
}
