//: tso robust states=1063
//: pso violation shape=MP states=403
//: pgas violation shape=MP states=403
//: ra robust states=1326
//: rc20 robust states=1380
//: cpp20 robust states=1380
// The non-blocking write protocol (Kopetz and Reisinger 1993), a sequence lock with one writer,
// next to a spinlock: one thread uses the lock and then reads, the other reads and then uses the
// lock. The lock passes on what has been read, so the readers agree. The lock blocks instead of
// spinning; see nbw-w-lr-rl-fsub for what a decrementing lock does to it.
name "nbw-w-lr-rl";
domain 4;
global count, buf, lock, z;

thread writer {
  local c;
  c = count.load(rlx);
  count.store(c + 1, rel);
  buf.store(1, rel);
  count.store(c + 2, rel);
}

thread locker {
  local c, d, v;
  lock.bcas(0, 1, acq);
  z.store(1, rlx);
  lock.store(0, rel);
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
  lock.bcas(0, 1, acq);
  v = z.load(rlx);
  lock.store(0, rel);
}
