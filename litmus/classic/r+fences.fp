//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=26
//: rc20 robust states=26
//: cpp20 robust states=13
// The R shape with SC fences in both threads.
name "r+fences";
domain 4;
global x, y;

thread left {
  x.store(1, rlx);
  fence(sc);
  y.store(1, rlx);
}

thread right {
  local r;
  y.store(2, rlx);
  fence(sc);
  r = x.load(rlx);
}
