//: tso robust states=15
//: pso robust states=15
//: pgas robust states=15
//: ra robust states=6
//: rc20 robust states=6
//: cpp20 robust states=6
// A barrier-like program where one thread waits for a value that is still there and the other for
// one that never comes. There is a stale value to read, but it is not the one waited for.
name "barw-0-2";
domain 4;
global x, y;

thread left {
  x.store(1, rel);
  wait(y == 0, acq);
}

thread right {
  y.store(1, rel);
  wait(x == 2, acq);
}
