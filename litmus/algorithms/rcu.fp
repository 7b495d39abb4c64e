//: tso robust states=71884
//: pso violation shape=MP states=329
//: pgas violation shape=MP states=329
//: ra robust states=421253
//: rc20 robust states>=100000
//: cpp20 robust states>=100000
// User-level read-copy-update in its simplest form, with quiescent states (Desnoyers et al. 2012):
// three readers, one updater, two nodes in turn. The updater publishes the new node, starts a
// grace period, waits until each reader has passed a quiescent state of that period, and only then
// scraps the old node. No fence is needed: since the updater blocks, it never reads an
// announcement of an earlier period, and a reader that announces the new one has seen the new
// node.
// Against rc20 decided too, but large (2 287 328 states): tests leave it to rcu-two-readers.
name "rcu";
domain 4;
const N = 3;
global ptr, period, seen[N];
nonatomic node[2] = 1;

thread reader[N] {
  local p, r;
  while (1) {
    p = ptr.load(acq);
    r = node[p];
    assert(r == 1);
    r = period.load(acq);
    seen[me].store(r, rel);
  }
}

thread updater {
  local p, g, i;
  while (1) {
    p = 1 - p;
    node[p] = 1;
    ptr.store(p, rel);
    g = g + 1;
    period.store(g, rel);
    i = 0;
    while (i < N) {
      wait(seen[i] == g, acq);
      i = i + 1;
    }
    node[1 - p] = 0;
  }
}
