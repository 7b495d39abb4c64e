//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=26
//: rc20 robust states=26
//: cpp20 robust states=13
// Store buffering repaired: an SC fence between store and load on both sides. Whichever fence
// comes second has seen the first one, and with it the store in front of it.
name "sb+fences";
domain 2;
global x, y;

thread left {
  local r;
  x.store(1, rlx);
  fence(sc);
  r = y.load(rlx);
}

thread right {
  local r;
  y.store(1, rlx);
  fence(sc);
  r = x.load(rlx);
}
