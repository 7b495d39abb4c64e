//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra violation shape=IRIW states=82
//: rc20 robust states=97
//: cpp20 robust states=97
// Independent reads of independent writes with SC accesses: one total order for all readers.
name "iriw+sc";
domain 2;
global x, y;

thread wx {
  x.store(1, sc);
}

thread wy {
  y.store(1, sc);
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
