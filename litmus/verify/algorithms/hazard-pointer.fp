//: sc safe
//: sra assertion-fails
//: ra assertion-fails
//: rc20 assertion-fails
//: cpp20 assertion-fails
//: tso assertion-fails
//: pso assertion-fails
//: pgas assertion-fails
//: ra violation
//: rc20 violation
//: cpp20 violation
//: tso violation
//: pso violation
//: pgas violation
// A hazard pointer (Michael 2004): the reader, again and again, publishes which node it is about
// to use and looks whether it is still the current one; the updater replaces the node, and
// scraps it when nobody has published it. Without fences publishing and looking again is store
// buffering with the updater.
name "hazard-pointer";
domain 4;
global ptr = 1, hazard, node[3] = 1;

thread reader {
  local p, q, r;
  while (1) {
    p = ptr.load(acq);
    hazard.store(p, rel);
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
  wait(hazard != 1, acq);
  node[1].store(0, rel);
}
