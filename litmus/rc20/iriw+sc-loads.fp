//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra violation shape=IRIW states=82
//: rc20 violation shape=IRIW states=82
//: cpp20 robust states=97
// Independent reads of independent writes with relaxed stores and SC loads. In the rule of
// rc20, that of C++11, the total order relates SC accesses only, and the stores are not among them.
// C++20 rules the outcome out: it also orders an SC load before another one that reads a later write.
name "iriw+sc-loads";
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
  r = x.load(sc);
  s = y.load(sc);
}

thread yx {
  local r, s;
  r = y.load(sc);
  s = x.load(sc);
}
