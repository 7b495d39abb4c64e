//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=26
//: rc20 robust states=26
//: cpp20 robust states=13
// Store buffering with SC accesses and SC fences between them: either would do.
name "sb+sc+fences";
domain 2;
global x, y;

thread left {
  local r;
  x.store(1, sc);
  fence(sc);
  r = y.load(sc);
}

thread right {
  local r;
  y.store(1, sc);
  fence(sc);
  r = x.load(sc);
}
