//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra violation shape=IRIW states=112
//: rc20 violation shape=IRIW states=112
//: cpp20 robust states=97
// Independent reads of independent relaxed writes: one reader has an SC fence between relaxed
// loads, the other has SC loads. If they disagreed, the fence would come before the load of 1 in
// `yx` (what follows the fence misses the write that this load sees), and the load of 0 in `yx`
// before the fence (it misses a write that was seen before the fence). Both need that coherence
// order goes through a write that is not SC: C++20 says so ([atomics.order] 3.1 and 3.4), RC11 does
// not, and allows it.
name "iriw+fence+sc-loads";
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
  r = y.load(sc);
  s = x.load(sc);
}
