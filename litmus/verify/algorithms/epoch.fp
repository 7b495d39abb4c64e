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
// Use after free: a reader goes online, takes the pointer and uses the node; the updater moves
// the pointer, waits until nobody is online and scraps the old node (the core of
// read-copy-update with threads that come and go, Desnoyers et al. 2012). Going online and
// reading the pointer, moving the pointer and looking who is online are store buffering: the
// reader has the old pointer and the updater sees nobody.
name "epoch";
domain 2;
global ptr, online, node[2] = 1;

thread reader {
  local p, r;
  online.store(1, rel);
  p = ptr.load(acq);
  r = node[p].load(acq);
  assert(r == 1);
  online.store(0, rel);
}

thread updater {
  ptr.store(1, rel);
  wait(online == 0, acq);
  node[0].store(0, rel);
}
