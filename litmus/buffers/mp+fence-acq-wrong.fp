//: tso robust states=0
//: pso violation shape=MP states=15
//: pgas violation shape=MP states=15
//: ra robust states=8
//: rc20 violation shape=MP states=7
//: cpp20 violation shape=MP states=7
// Message passing with an acquire fence where a release fence belongs: no machine with store buffers waits there.
name "mp+fence-acq-wrong";
domain 2;
global data, flag;

thread send {
  data.store(1, rlx);
  fence(acq);
  flag.store(1, rlx);
}

thread receive {
  local r;
  r = flag.load(rlx);
  if (r == 1) {
    r = data.load(rlx);
  }
}
