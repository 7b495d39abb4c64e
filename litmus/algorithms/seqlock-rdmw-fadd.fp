//: tso robust states=135477
//: pso violation shape=MP states=6360
//: pgas violation shape=MP states=6360
//: ra robust states=143479
//: rc20 violation states=9208
//: cpp20 violation states=9208
//: rc20 observational violation
//: cpp20 observational violation
// The sequence lock of seqlock-rdmw with a fetch-and-add of 0 for the reader's second look. The
// update takes place whatever the number is, and when the number has changed it may be ordered
// before a store whose effects the relaxed loads have seen. The reader starts again then, and may
// find an old number. Both are harmless, but used values are stale.
// not observationally robust
name "seqlock-rdmw-fadd";
domain 8;
global seq, x, y;

proc write(v) {
  local s, r;
  do {
    do { s = seq.load(rlx); } while (s % 2 == 1);
    r = seq.cas(s, s + 1, acq, rlx);
  } while (r != s);
  fence(rel);
  x.store(v, rlx);
  y.store(v, rlx);
  seq.store(s + 2, rel);
}

proc read() {
  local s, t, a, b;
  do {
    do { s = seq.load(acq); } while (s % 2 == 1);
    a = x.load(rlx);
    b = y.load(rlx);
    t = seq.fadd(0, rel);
  } while (s != t);
  assert(a == b);
}

thread p[3] {
  choose {
    write(me + 1);
  } or {
    read();
  }
  read();
}
