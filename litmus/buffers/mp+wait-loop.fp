//: tso robust states=0
//: pso violation shape=MP states=20
//: pgas violation shape=MP states=20
//: ra robust states=5
//: rc20 robust states=5
//: cpp20 robust states=5
// As mp+wait-twice, with the two stores in a loop: one instruction, executed twice before the flag.
name "mp+wait-loop";
domain 3;
global data, flag;

thread producer {
  local n;
  while (n < 2) {
    data.store(1, rlx);
    n = n + 1;
  }
  flag.store(1, rel);
}

thread consumer {
  wait(flag == 1, acq);
  wait(data == 0, rlx);
}
