//: sc safe
//: sra safe
//: ra safe
//: rc20 safe
//: cpp20 safe
//: tso safe
//: pso assertion-fails
//: pgas assertion-fails
//: ra robust
//: rc20 robust
//: cpp20 robust
//: tso robust
//: pso violation
//: pgas violation
// Read-copy-update as in rcu without light fences. Release stores are enough for the languages,
// and TSO keeps stores in order; with a buffer for each location the pointer gets to memory
// before the node is ready.
name "rcu-stores";
domain 4;
const N = 1;
global ptr, period, seen[N], node[2] = 1;

thread reader[N] {
  local p, r;
  while (1) {
    p = ptr.load(acq);
    r = node[p].load(rlx);
    assert(r == 1);
    r = period.load(acq);
    seen[me].store(r, rel);
  }
}

thread updater {
  local p, g, i;
  while (1) {
    p = 1 - p;
    node[p].store(1, rlx);
    ptr.store(p, rel);
    g = g + 1;
    period.store(g, rel);
    i = 0;
    while (i < N) {
      wait(seen[i] == g, acq);
      i = i + 1;
    }
    node[1 - p].store(0, rlx);
  }
}
