//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra violation shape=IRIW states=82
//: rc20 violation shape=IRIW states=82
//: cpp20 violation shape=IRIW states=82
// Independent reads of independent writes with SC stores and acquire loads. A total order of the
// stores does not oblige loads that are not part of it.
name "iriw+sc-stores";
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
  s = y.load(acq);
}

thread yx {
  local r, s;
  r = y.load(acq);
  s = x.load(acq);
}
