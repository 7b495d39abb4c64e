//: tso robust states=0
//: pso violation shape=2+2W states=39
//: pgas violation shape=2+2W states=39
//: ra violation shape=2+2W states=10
//: rc20 robust states=13
//: cpp20 robust states=13
// Two threads that write both locations in opposite order, by SC stores: the order of writes of
// each location follows the total order.
name "2+2w+sc";
domain 4;
global x, y;

thread left {
  x.store(1, sc);
  y.store(2, sc);
}

thread right {
  y.store(1, sc);
  x.store(2, sc);
}
