//: tso robust states=15
//: pso robust states=15
//: pgas robust states=15
//: ra robust states=7
//: rc20 robust states=7
//: cpp20 robust states=7
// Store buffering with waits for "no longer 0". The only stale value is 0, which the comparison
// rules out.
name "wait-ne";
domain 4;
global x, y;

thread left {
  x.store(1, rel);
  wait(y != 0, acq);
}

thread right {
  y.store(2, rel);
  wait(x > 0, acq);
}
