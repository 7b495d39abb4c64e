//: tso robust states=438
//: pso violation shape=MP states=268
//: pgas violation shape=MP states=268
//: ra robust states=3439
//: rc20 robust states=8973
//: cpp20 robust states=13645
// The THE work-stealing queue with a fence between moving an index and reading the other one, in
// the owner's pop and in the steal. What TSO needs is enough here too: everything else is behind
// the lock.
name "cilk-the-wsq-tso";
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
      fence(sc);
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
    fence(sc);
    t = tail.load(acq);
    if (h < t) {
      run(h);
    } else {
      head.store(h, rel);
    }
    lock.store(0, rel);
  }
}
