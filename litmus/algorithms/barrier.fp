//: tso robust states=15
//: pso robust states=15
//: pgas robust states=15
//: ra robust states=7
//: rc20 robust states=7
//: cpp20 robust states=7
// A barrier for two threads: each announces its arrival and blocks until it sees the other's
// (Lahav and Margalit 2019, program BAR). Spinning on a stale flag is not part of the program,
// because a blocking wait takes no other value than the one it waits for; written with busy loops
// (classic/bar+loops) the same barrier is not robust.
name "barrier";
domain 2;
global x, y;

thread left {
  x.store(1, rel);
  wait(y == 1, acq);
}

thread right {
  y.store(1, rel);
  wait(x == 1, acq);
}
