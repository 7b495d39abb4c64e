//: tso violation shape=R
//: pso violation shape=R
//: pgas violation shape=R
//: ra violation shape=R states=10
//: rc20 robust states=13
// The R shape with SC accesses.
name "r+sc";
domain 4;
global x, y;

thread left {
  x.store(1, sc);
  y.store(1, sc);
}

thread right {
  local r;
  y.store(2, sc);
  r = x.load(sc);
}
