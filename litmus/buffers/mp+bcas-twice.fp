//: tso robust states=0
//: pso violation shape=S states=20
//: pgas violation shape=S states=20
//: ra robust states=5
//: rc20 robust states=5
//: cpp20 robust states=5
// As mp+wait-twice, with a blocking compare-and-swap that waits for the old data and replaces it.
name "mp+bcas-twice";
domain 3;
global data, flag;

thread producer {
  data.store(1, rlx);
  data.store(1, rlx);
  flag.store(1, rel);
}

thread consumer {
  wait(flag == 1, acq);
  data.bcas(0, 2, rlx);
}
