//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra violation states=112
//: rc20 violation states=112
//: cpp20 violation states=82
// Independent reads of independent writes with a fence in one reader only, which is no better than
// none.
name "iriw+fence-one";
domain 2;
global x, y;

thread wx { x.store(1, rel); }
thread wy { y.store(1, rel); }

thread xy {
  local r, s;
  r = x.load(acq);
  fence(sc);
  s = y.load(acq);
}

thread yx {
  local r, s;
  r = y.load(acq);
  s = x.load(acq);
}
