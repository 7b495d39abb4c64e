//: tso violation shape=SB states=1808
//: pso violation shape=SB states=1799
//: pgas violation shape=SB states=1799
//: ra violation shape=SB states=879
//: rc20 violation shape=SB states=879
//: cpp20 violation shape=SB states=879
// The THE work-stealing queue of Cilk-5 (Frigo, Leiserson and Randall 1998), used wrongly: the owner's
// operations are in threads of their own, one push and two pops, besides a thief and a thread that frees
// the lock at the start. Pops and the steal move their index and look at the other one
// with nothing in between. Figure 7 of "Locality and singularity" calls it not robust, which it is not.
name "cilk-the-wsq-wrongdoing";
domain 8;
global head = 2, tail = 2, lock = 1;

thread opener {
  lock.store(0, rlx);
}

thread push {
  local t;
  t = tail.load(rlx);
  tail.store(t + 1, rlx);
}

thread pop[2] {
  local h, t;
  t = tail.load(rlx);
  t = t - 1;
  tail.store(t, rlx);
  h = head.load(rlx);
  if (h > t) {
    t = tail.load(rlx);
    tail.store(t + 1, rlx);
    lock.bcas(0, 1, acqrel);
    t = tail.load(rlx);
    t = t - 1;
    tail.store(t, rlx);
    h = head.load(rlx);
    if (h > t) {
      t = tail.load(rlx);
      tail.store(t + 1, rlx);
    }
    lock.xchg(0, acqrel);
  }
}

thread steal {
  local h, t;
  lock.bcas(0, 1, acqrel);
  h = head.load(rlx);
  h = h + 1;
  head.store(h, rlx);
  t = tail.load(rlx);
  if (h > t) {
    head.store(h - 1, rlx);
  }
  lock.xchg(0, acqrel);
}
