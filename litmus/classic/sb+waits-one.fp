//: tso robust states=22
//: pso robust states=22
//: pgas robust states=22
//: ra robust states=10
//: rc20 robust states=10
//: cpp20 robust states=10
// Store buffering where one of the loads waits for the other thread's store. The waiting thread
// takes no value but the newest, and the other one has nobody left to close a cycle with.
name "sb+waits-one";
domain 2;
global x, y;

thread left {
  local r;
  y.store(1, rel);
  r = x.load(acq);
}

thread right {
  x.store(1, rel);
  wait(y == 1, acq);
}
