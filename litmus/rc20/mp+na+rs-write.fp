//: tso robust states=0
//: pso violation shape=MP states=12
//: pgas violation shape=MP states=12
//: ra robust states=8
//: rc20 violation kind=data-race location=data states=7
//: cpp20 violation kind=data-race location=data states=7
// As mp+na+rs, but the thread in the middle has touched the data before: its own accesses are not
// released by a relaxed update.
name "mp+na+rs-write";
domain 4;
global flag;
nonatomic data;

thread producer {
  data = 1;
  flag.store(1, rel);
}

thread updater {
  local r;
  wait(flag == 1, acq);
  r = data;
  flag.fadd(1, rlx);
}

thread consumer {
  wait(flag == 2, acq);
  data = 2;
}
