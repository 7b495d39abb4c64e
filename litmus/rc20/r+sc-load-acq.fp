//: tso violation shape=R states=22
//: pso violation shape=R states=35
//: pgas violation shape=R states=35
//: ra violation shape=R states=10
//: rc20 violation shape=R states=10
//: cpp20 violation shape=R states=10
// The R shape with SC stores and an acquire load: the load is not bound by the total order.
name "r+sc-load-acq";
domain 4;
global x, y;

thread left {
  x.store(1, sc);
  y.store(1, sc);
}

thread right {
  local r;
  y.store(2, sc);
  r = x.load(acq);
}
