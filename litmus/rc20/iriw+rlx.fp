//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra violation shape=IRIW states=82
//: rc20 violation shape=IRIW states=82
//: cpp20 violation shape=IRIW states=82
// Independent reads of independent writes with relaxed accesses. Besides the two readers
// disagreeing, each of them may swap its loads.
name "iriw+rlx";
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
  s = y.load(rlx);
}

thread yx {
  local r, s;
  r = y.load(rlx);
  s = x.load(rlx);
}
