//: tso robust states=6176
//: pso violation shape=MP states=153
//: pgas violation shape=MP states=153
//: ra robust states=12415
//: rc20 robust states=32312
//: cpp20 robust states=32312
// Read-copy-update with quiescent states as in rcu, with two readers instead of three.
name "rcu-two-readers";
domain 4;
const N = 2;
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
