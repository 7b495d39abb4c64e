//: tso robust states=0
//: pso violation shape=MP states=20
//: pgas violation shape=MP states=20
//: ra unsupported
//: rc20 unsupported
//: cpp20 unsupported
// As mp+wait-twice, with an atomic section that goes on only if the data it reads is old.
name "mp+atomic-twice";
domain 2;
global data, flag;

thread producer {
  data.store(1, rlx);
  data.store(1, rlx);
  flag.store(1, rel);
}

thread consumer {
  local r;
  wait(flag == 1, acq);
  atomic {
    r = data.load(rlx);
    assume(r == 0);
  }
}
