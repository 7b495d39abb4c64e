//: tso robust states=0
//: pso violation shape=MP states=15
//: pgas violation shape=MP states=15
//: ra robust states=6
//: rc20 violation states=5
//: cpp20 violation states=5
// A relaxed store after a release store to the same location by the same thread. In C++11 it
// continued the release sequence, since C++20 it does not, and neither does it here.
name "mp+rs-own-store";
domain 4;
global data, flag;

thread producer {
  data.store(1, rlx);
  flag.store(1, rel);
  flag.store(2, rlx);
}

thread consumer {
  local r;
  wait(flag == 2, acq);
  r = data.load(rlx);
}
