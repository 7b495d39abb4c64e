//: tso violation shape=SB states=458
//: pso violation shape=SB states=393
//: pgas violation shape=SB states=393
//: ra violation shape=SB states=156
//: rc20 violation shape=SB states=156
//: cpp20 violation shape=SB states=156
// As cilk-the-wsq.fp, with a lock that is free at the start. Now thieves steal, and the owner and a thief
// both move their index and look at the other one with nothing in between: store buffering. Not in the
// figures of "Locality and singularity".
name "cilk-the-wsq-free";
domain 8;
global head = 1, tail = 1, lock;

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
