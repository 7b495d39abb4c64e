//: tso robust states=29
//: pso robust states=19
//: pgas robust states=19
//: ra robust states=8
//: rc20 robust states=8
//: cpp20 robust states=8
// The THE work-stealing queue of Cilk-5: an owner that pushes twice and pops, and two thieves, without
// fences. The program of figure 7 of "Locality and singularity" is called "non-robust" by its name and robust by
// the table, and it is robust, but for a poor reason: its lock is taken at the start and nobody frees it, so the
// thieves never begin, and the owner is alone. So it is here; see cilk-the-wsq-free.fp for a lock that is free.
name "cilk-the-wsq";
domain 8;
global head = 1, tail = 1, lock = 1;

thread owner {
  local h, t, i;
  while (i < 2) {
    t = tail.load(rlx);
    tail.store(t + 1, rlx);
    i = i + 1;
  }
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

thread thief[2] {
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
