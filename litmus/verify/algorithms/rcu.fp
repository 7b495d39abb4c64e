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
// Read-copy-update with quiescent states (Desnoyers et al. 2012): one reader, one updater, two
// nodes in turn, for ever; no node is used after it was scrapped. The updater waits until the
// reader has announced the new period; a reader that does so has seen the new node, and what it
// read before comes before the announcement. Light fences keep node, pointer and period in order
// where each location has its buffer.
name "rcu";
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
    lwfence();
    ptr.store(p, rel);
    g = g + 1;
    lwfence();
    period.store(g, rel);
    i = 0;
    while (i < N) {
      wait(seen[i] == g, acq);
      i = i + 1;
    }
    node[1 - p].store(0, rlx);
  }
}
