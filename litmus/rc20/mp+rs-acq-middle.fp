//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=6
//: rc20 violation states=5
//: cpp20 violation states=5
// Two producers count up a flag, the first by a relaxed update, the second by an acquire-release
// one. The second acquires nothing from the first, so it cannot pass the first one's data on.
name "mp+rs-acq-middle";
domain 4;
global a, flag;

thread first {
  a.store(1, rlx);
  flag.fadd(1, rlx);
}

thread second {
  flag.bcas(1, 2, acqrel);
}

thread consumer {
  local r;
  wait(flag == 2, acq);
  r = a.load(rlx);
}
