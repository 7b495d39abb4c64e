//: tso robust states=0
//: pso robust states=0
//: pgas violation shape=MP states=15
//: ra robust states=5
//: rc20 robust states=5
//: cpp20 robust states=5
// Message passing with a light fence that covers only a location of the producer's own. It does not keep the data
// before the flag. The store it covers must not be delayed: behind it the fence would be in the buffer, and behind
// that the flag.
name "mp+lwfence-bystander";
domain 2;
global data, flag, own;

thread producer {
  data.store(1, rlx);
  own.store(1, rlx);
  lwfence(own);
  flag.store(1, rel);
}

thread consumer {
  wait(flag == 1, acq);
  wait(data == 0, rlx);
}
