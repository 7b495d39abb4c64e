//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=215
//: rc20 robust states=215
//: cpp20 robust states=97
// Independent reads of independent writes with an SC fence between the two reads of each reader:
// the reader whose fence comes second has learned what the first one had read.
name "iriw+fences";
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
  fence(sc);
  s = x.load(acq);
}
