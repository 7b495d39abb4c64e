//: tso robust states=0
//: pso violation shape=WRR+2W states=18
//: pgas violation shape=WRR+2W states=18
//: ra robust states=7
//: rc20 violation states=6
//: cpp20 violation states=6
// What continues a release sequence is an update, not a store: the third thread has seen the flag
// and raises it once more by a relaxed store. Whoever reads that one learns nothing.
name "mp+rs-store";
domain 4;
global data, flag;

thread producer {
  data.store(1, rlx);
  flag.store(1, rel);
}

thread updater {
  wait(flag == 1, acq);
  flag.store(2, rlx);
}

thread consumer {
  local r;
  wait(flag == 2, acq);
  r = data.load(rlx);
}
