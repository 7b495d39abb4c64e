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
// Read-copy-update as in rcu with two readers.
name "rcu-two-readers";
domain 4;
const N = 2;
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
