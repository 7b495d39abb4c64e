//: tso robust states=0
//: pso violation states=15
//: pgas violation states=15
//: ra robust states=6
//: rc20 robust states=6
//: cpp20 robust states=6
// Non-atomic data published through a release sequence: the update between store and load is
// relaxed and by a thread that never touches the data.
name "mp+na+rs";
domain 4;
global flag;
nonatomic data;

thread producer {
  data = 1;
  flag.store(1, rel);
}

thread updater {
  flag.bcas(1, 2, rlx);
}

thread consumer {
  local r;
  wait(flag == 2, acq);
  r = data;
  assert(r == 1);
}
