//: sc assertion-fails
//: sra assertion-fails
//: ra assertion-fails
//: rc20 assertion-fails
//: cpp20 assertion-fails
//: tso assertion-fails
//: pso assertion-fails
//: pgas assertion-fails
//: ra robust
//: rc20 violation
//: cpp20 violation
//: tso robust
//: pso violation
//: pgas violation
// Read-copy-update without a grace period: the old node is scrapped at once, while a reader may
// be about to read it. Wrong under SC already. Robust where stores stay in order and reading a
// node tells what came before it; under RC20 the relaxed accesses of nodes tell nothing, and
// with a buffer for each location a node may be scrapped and made anew before the period in
// front of it is in memory.
name "rcu-no-grace";
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
  local p, g;
  while (1) {
    p = 1 - p;
    node[p].store(1, rlx);
    lwfence();
    ptr.store(p, rel);
    g = g + 1;
    lwfence();
    period.store(g, rel);
    node[1 - p].store(0, rlx);
  }
}
