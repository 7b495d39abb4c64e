//: tso violation shape=SB states=203
//: pso violation shape=SB states=212
//: pgas violation shape=SB states=212
//: ra violation states=56
//: rc20 violation states=56
//: cpp20 violation states=56
// The THE work-stealing queue of Cilk-5 (Frigo, Leiserson and Randall 1998): the owner pushes and
// pops at the tail, a thief steals at the head under a lock, and the owner takes the lock only
// when the two may have met. Each side moves its index and then reads the other's: store
// buffering, and the same task may be run twice.
name "cilk-the-wsq-sc";
domain 8;
const LAST = 3;
global head = 1, tail = 1, lock;
nonatomic task[LAST];

proc run(i) {
  local r;
  r = task[i];
  assert(r == 1);
  task[i] = 0;
}

thread owner {
  local h, t = 1;
  while (1) {
    choose {
      if (t < LAST) {
        task[t] = 1;
        t = t + 1;
        tail.store(t, rel);
      }
    } or {
      t = t - 1;
      tail.store(t, rel);
      h = head.load(acq);
      if (h > t) {
        tail.store(t + 1, rel);
        lock.bcas(0, 1, acq);
        tail.store(t, rel);
        h = head.load(acq);
        if (h > t) {
          t = t + 1;
          tail.store(t, rel);
          lock.store(0, rel);
          continue;
        }
        lock.store(0, rel);
      }
      run(t);
    }
  }
}

thread thief {
  local h, t;
  while (1) {
    lock.bcas(0, 1, acq);
    h = head.load(rlx);
    head.store(h + 1, rel);
    t = tail.load(acq);
    if (h < t) {
      run(h);
    } else {
      head.store(h, rel);
    }
    lock.store(0, rel);
  }
}
