//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra violation shape=IRIW states=82
//: rc20 violation shape=IRIW states=82
//: cpp20 violation shape=IRIW states=82
// Independent reads of independent writes (Boehm and Adve 2008). The two readers may disagree
// about which write came first, because release/acquire does not make a write visible to all
// threads at once. TSO forbids it.
name "iriw";
domain 2;
global x, y;

thread wx { x.store(1, rel); }
thread wy { y.store(1, rel); }

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
