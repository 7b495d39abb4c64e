//: sc safe
//: sra safe
//: ra safe
//: rc20 safe
//: cpp20 unsettled
//: tso safe
//: pso assertion-fails
//: pgas assertion-fails
//: ra violation
//: rc20 violation
//: cpp20 violation
//: tso violation
//: pso violation
//: pgas violation
// A hazard pointer. The reader says which node it is going to read, and looks again whether the node
// is still the current one. The writer replaces the node, and waits until nobody reads the old one.
// The fences order the two. Not robust: nobody minds that a pointer is read late. RC20's fences
// synchronise, so SRA speaks for it in spite of the plain accesses. C++20's do not, and no argument
// settles it there. Where each location has its buffer, the new node may be seen before its content.
name "hazard pointer";
domain 4;
const NODES = 3;                        // two nodes, 1 and 2
global current = 1, hazard;
nonatomic content[NODES] = {0, 1, 0};   // 0: freed

thread reader {
  local p, q, v;
  while (1) {
    p = current.load(acq);
    hazard.store(p, rel);
    fence(sc);
    q = current.load(acq);
    if (p == q) {
      v = content[p];
      assert(v == 1);
    }
    hazard.store(0, rel);
  }
}

thread writer {
  local old = 1, new, h;
  while (1) {
    new = 3 - old;
    content[new] = 1;
    current.store(new, rel);
    fence(sc);
    h = hazard.load(acq);
    while (h == old) {
      h = hazard.load(acq);
    }
    content[old] = 0;
    old = new;
  }
}
