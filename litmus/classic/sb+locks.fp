//: tso robust states=36
//: pso violation shape=SB states=43
//: pgas violation shape=SB states=43
//: ra robust states=17
//: rc20 robust states=17
//: cpp20 robust states=17
// Store buffering with both accesses of each thread under one lock: race-free programs have SC
// behaviour only.
name "sb+locks";
domain 2;
global x, y, lock;

thread left {
  local r;
  lock.bcas(0, 1, acq);
  x.store(1, rlx);
  r = y.load(rlx);
  lock.store(0, rel);
}

thread right {
  local r;
  lock.bcas(0, 1, acq);
  y.store(1, rlx);
  r = x.load(rlx);
  lock.store(0, rel);
}
