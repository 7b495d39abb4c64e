//: tso robust
//: pso violation copies=1 shape=MP
//: pgas violation copies=1 shape=MP
//: ra robust
//: rc20 robust
//: cpp20 robust
// A sequence lock with one writer and any number of readers.
name "seqlock";
domain 4;
global seq, a, b;

thread writer {
  a.store(1, rel);
  b.store(1, rel);
  while (1) {
    seq.store(1, rel);
    a.store(2, rel);
    b.store(2, rel);
    seq.store(2, rel);
    seq.store(3, rel);
    a.store(1, rel);
    b.store(1, rel);
    seq.store(0, rel);
  }
}

thread reader[*] {
  local s, t, x, y;
  do {
    do { s = seq.load(acq); } while (s % 2 == 1);
    x = a.load(acq);
    y = b.load(acq);
    t = seq.load(rlx);
  } while (s != t);
}
