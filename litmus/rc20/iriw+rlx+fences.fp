//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=215
//: rc20 robust states=215
//: cpp20 robust states=97
// Independent reads of independent writes with relaxed accesses and SC fences between the loads.
// The fence of the second reader knows what the first one has read, however relaxed it was.
name "iriw+rlx+fences";
domain 2;
global x, y;

thread wx {
  x.store(1, rlx);
}

thread wy {
  y.store(1, rlx);
}

thread xy {
  local r, s;
  r = x.load(rlx);
  fence(sc);
  s = y.load(rlx);
}

thread yx {
  local r, s;
  r = y.load(rlx);
  fence(sc);
  s = x.load(rlx);
}
