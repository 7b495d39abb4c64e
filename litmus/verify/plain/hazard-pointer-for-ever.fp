//: sc safe
//: sra safe
//: ra safe
//: rc20 safe
//: cpp20 safe
//: tso safe
//: pso assertion-fails
//: pgas assertion-fails
//: ra violation
//: rc20 violation
//: cpp20 violation
//: tso violation
//: pso violation
//: pgas violation
// A hazard pointer: the reader says what it is about to read, and looks again; the writer replaces
// a node, and looks whether anybody reads the old one. The SC fences see to it that one of them
// sees the other. In C++20 they do not synchronise: the accesses do.
name "hazard-pointer-for-ever";
domain 4;
// two nodes, addresses 1 and 2. 0 is null.
const NODES = 3;
global ptr = 1, hp; // shared pointer, one hazard slot
nonatomic val[NODES] = {0, 1, 0}; // node contents: 0 = freed
thread reader {
  local p, q, v;
  while (1) {
    p = ptr.load(acq);
    hp.store(p, rel);
    fence(sc);
    q = ptr.load(acq);
    if (p == q) {
      v = val[p];
      assert(v == 1);
    }
    hp.store(0, rel);
  }
}
thread writer {
  local cur = 1, nxt, h;
  while (1) {
    nxt = 3 - cur;
    val[nxt] = 1; // allocate and initialise
    ptr.store(nxt, rel);
    fence(sc);
    h = hp.load(acq);
    while (h == cur) { h = hp.load(acq); }
    val[cur] = 0; // free(cur)
    cur = nxt;
  }
}
