//: tso violation shape=R states=22
//: pso violation shape=R states=35
//: pgas violation shape=R states=35
//: ra violation shape=R states=10
//: rc20 robust states=13
//: cpp20 robust states=13
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
