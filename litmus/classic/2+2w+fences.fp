//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=58
//: rc20 robust states=58
//: cpp20 robust states=34
// The four writes of 2+2w with an SC fence between the two of each thread.
name "2+2w+fences";
domain 4;
global x, y;

thread left {
  local r;
  x.store(1, rlx);
  fence(sc);
  y.store(2, rlx);
  r = y.load(rlx);
}

thread right {
  local r;
  y.store(1, rlx);
  fence(sc);
  x.store(2, rlx);
  r = x.load(rlx);
}
