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
// The same as epoch with a fence on either side: either the reader sees the new pointer or the
// updater sees the reader.
name "epoch-fenced";
domain 2;
global ptr, online, node[2] = 1;

thread reader {
  local p, r;
  online.store(1, rel);
  fence(sc);
  p = ptr.load(acq);
  r = node[p].load(acq);
  assert(r == 1);
  online.store(0, rel);
}

thread updater {
  ptr.store(1, rel);
  fence(sc);
  wait(online == 0, acq);
  node[0].store(0, rel);
}
