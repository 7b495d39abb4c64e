// Any number of threads push nodes of their own kind and pop what is there: Treiber's stack with two
// nodes, each of which is pushed by whoever owns it.
name "stack";
domain 3;
global top, free[3] = { 0, 1, 1 };
global link[3];

thread worker[*] {
  local n, t, r;
  choose {
    n = nondet(1, 2);
    free[n].bcas(1, 0, acq);
    do {
      t = top.load(rlx);
      link[n].store(t, rlx);
      r = top.cas(t, n, rel, rlx);
    } while (r != t);
  } or {
    t = top.load(acq);
    if (t != 0) {
      n = link[t].load(rlx);
      r = top.cas(t, n, acq, rlx);
      if (r == t) {
        free[t].store(1, rel);
      }
    }
  }
}
