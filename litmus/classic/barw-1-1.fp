//: tso robust states=15
//: pso robust states=15
//: pgas robust states=15
//: ra robust states=7
//: rc20 robust states=7
//: cpp20 robust states=7
// The barrier with blocking waits. A wait takes only the value it waits for, so the stale 0 is
// never read: the busy looping that differs from SC is not part of the program's behaviour.
name "barw-1-1";
domain 4;
global x, y;

thread left {
  x.store(1, rel);
  wait(y == 1, acq);
}

thread right {
  y.store(1, rel);
  wait(x == 1, acq);
}
