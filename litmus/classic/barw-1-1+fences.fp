//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=18
//: rc20 robust states=18
//: cpp20 robust states=7
// The barrier with blocking waits and SC fences that it does not need.
name "barw-1-1+fences";
domain 4;
global x, y;

thread left {
  x.store(1, rel);
  fence(sc);
  wait(y == 1, acq);
}

thread right {
  y.store(1, rel);
  fence(sc);
  wait(x == 1, acq);
}
