//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=16
//: rc20 robust states=16
//: cpp20 robust states=8
// Both threads wait for the initial value, behind SC fences: at most one of them gets past, as
// under SC.
name "barw-0-0+fences";
domain 4;
global x, y;

thread left {
  x.store(1, rel);
  fence(sc);
  wait(y == 0, acq);
}

thread right {
  y.store(1, rel);
  fence(sc);
  wait(x == 0, acq);
}
