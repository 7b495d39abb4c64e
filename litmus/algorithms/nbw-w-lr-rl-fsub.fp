//: tso violation shape=WRW+WR states=1100
//: pso violation shape=MP states=421
//: pgas violation shape=MP states=421
//: ra violation states=635
//: rc20 violation states=646
//: cpp20 violation states=646
// As nbw-w-lr-rl, with the decrementing spinlock of old Linux kernels. A thread that fails to get
// the lock leaves a trace by its decrement; the holder's release overwrites it, which under SC
// means that everything the loser had read is in the past. Under release/acquire overwriting is
// not seeing: the holder may still read an old count. Robust against TSO, and harmless.
name "nbw-w-lr-rl-fsub";
domain 8;
global count, buf, lock = 1, z;

proc acquire(l) {
  local r;
  r = l.fsub(1, acq);
  while (r != 1) {
    do { r = l.load(rlx); } while (r != 1);
    r = l.fsub(1, acq);
  }
}

thread writer {
  local c;
  c = count.load(rlx);
  count.store(c + 1, rel);
  buf.store(1, rel);
  count.store(c + 2, rel);
}

thread locker {
  local c, d, v;
  acquire(lock);
  z.store(1, rlx);
  lock.store(1, rel);
  do {
    c = count.load(acq);
    v = buf.load(acq);
    d = count.load(rlx);
  } while (c != d || c % 2 == 1);
}

thread reader {
  local c, d, v;
  do {
    c = count.load(acq);
    v = buf.load(acq);
    d = count.load(rlx);
  } while (c != d || c % 2 == 1);
  acquire(lock);
  v = z.load(rlx);
  lock.store(1, rel);
}
