//: tso robust states=0
//: pso violation shape=S states=22
//: pgas violation shape=S states=22
//: ra robust states=13
//: rc20 violation shape=S states=10
//: cpp20 violation shape=S states=10
// The S shape with relaxed accesses: the second thread has seen the flag, and its store may still
// be the older one.
name "s+rlx";
domain 4;
global x, y;

thread left {
  x.store(2, rlx);
  y.store(1, rlx);
}

thread right {
  local r;
  r = y.load(rlx);
  x.store(1, rlx);
}
