//: tso robust states=0
//: pso violation shape=MP states=20
//: pgas violation shape=MP states=20
//: ra robust states=5
//: rc20 robust states=5
//: cpp20 robust states=5
// Message passing in which the data is stored twice and the consumer waits for its old value. A
// queue per location lets the flag overtake the data, but both stores of the data must be delayed:
// if the first one were in memory, the wait would never end. With plain loads instead of waits, one
// delayed store would be enough.
name "mp+wait-twice";
domain 2;
global data, flag;

thread producer {
  data.store(1, rlx);
  data.store(1, rlx);
  flag.store(1, rel);
}

thread consumer {
  wait(flag == 1, acq);
  wait(data == 0, rlx);
}
