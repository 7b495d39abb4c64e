//: sc safe
//: sra safe
//: ra safe
//: rc20 safe
//: cpp20 safe
//: tso safe
//: pso safe
//: pgas safe
//: ra robust
//: rc20 robust
//: cpp20 robust
//: tso robust
//: pso robust
//: pgas robust
// The hazard pointer with a fence on either side: either the reader sees that the pointer has
// moved, or the updater sees the hazard.
name "hazard-pointer-fenced";
domain 4;
global ptr = 1, hazard, node[3] = 1;

thread reader {
  local p, q, r;
  while (1) {
    p = ptr.load(acq);
    hazard.store(p, rel);
    fence(sc);
    q = ptr.load(acq);
    if (p == q) {
      r = node[p].load(acq);
      assert(r == 1);
    }
    hazard.store(0, rel);
  }
}

thread updater {
  ptr.store(2, rel);
  fence(sc);
  wait(hazard != 1, acq);
  node[1].store(0, rel);
}
