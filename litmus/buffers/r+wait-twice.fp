//: tso robust states=0
//: pso violation shape=R states=46
//: pgas violation shape=R states=46
//: ra violation shape=R states=17
//: rc20 violation shape=R states=17
//: cpp20 violation shape=R states=12
// The shape R with two stores of x, and a wait for its old value that a fence separates from the
// store of y. Both stores of x must be delayed past the store of y.
name "r+wait-twice";
domain 3;
global x, y;

thread left {
  x.store(1, rlx);
  x.store(1, rlx);
  y.store(2, rlx);
}

thread right {
  y.store(0, rlx);
  fence(sc);
  wait(x == 0, rlx);
}
