//: tso robust states=1819
//: pso robust states=1819
//: pgas robust states=1819
//: ra robust states=1804
//: rc20 robust states=1834
//: cpp20 robust states=1834
// The lock-free stack of Treiber (1986): push and pop by compare-and-swap of the top. Two threads
// push their node, two others pop one each; nodes are used once, so there is no ABA problem. All
// writes of the top are updates in one chain, and links are written before their node is pushed.
name "treiber-stack";
domain 4;
global top, next[3];
nonatomic full[3];

thread pusher[2] {
  local t, r;
  full[me + 1] = 1;
  do {
    t = top.load(rlx);
    next[me + 1].store(t, rlx);
    r = top.cas(t, me + 1, rel, rlx);
  } while (r != t);
}

thread popper[2] {
  local t, n, r;
  do {
    t = top.load(acq);
    if (t != 0) {
      n = next[t].load(rlx);
      r = top.cas(t, n, acq, rlx);
    } else {
      r = 0;
    }
  } while (r != t);
  if (t != 0) {
    r = full[t];
    assert(r == 1);
    full[t] = 0;
  }
}
