//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra violation shape=IRIW states=82
//: rc20 robust states=97
//: cpp20 violation shape=IRIW states=82
// Independent reads of independent writes with SC stores, acquire first loads and SC second loads.
// A store happens before the second load of the reader that saw it, and the total order must
// respect that. (The rule of C++11. C++20 does not ask for it, for the sake of POWER, so there the
// readers may disagree.)
name "iriw+sc-stores-seconds";
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
  r = x.load(acq);
  s = y.load(sc);
}

thread yx {
  local r, s;
  r = y.load(acq);
  s = x.load(sc);
}
