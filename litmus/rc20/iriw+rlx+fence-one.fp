//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra violation states=112
//: rc20 violation states=112
//: cpp20 violation states=82
// Independent reads of independent writes with relaxed accesses and an SC fence in one reader only.
name "iriw+rlx+fence-one";
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
  s = x.load(rlx);
}
