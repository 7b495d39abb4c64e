//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=746
//: rc20 violation shape=MP states=45
//: cpp20 violation shape=MP states=45
// The lock-free stack of Treiber (1986): two threads push a node each, two others pop. Figure 7 of "Locality and
// singularity": "Lock-Free Stack (robust)", robust by the table, and so is this one. There, the
// threads that pop read the top at an address that nobody writes, so they only ever find an empty stack; here they pop.
name "lock-free-stack";
domain 4;
global top, next[3];

thread push[2] {
  local t, r;
  do {
    t = top.load(rlx);
    next[me + 1].store(t, rlx);
    r = top.cas(t, me + 1, acqrel, rlx);
  } while (r != t);
}

thread pop[2] {
  local t, n, r;
  do {
    t = top.load(rlx);
    r = t;
    if (t != 0) {
      n = next[t].load(rlx);
      r = top.cas(t, n, acqrel, rlx);
    }
  } while (r != t);
}
