//: tso robust states=0
//: pso violation shape=MP states=139
//: pgas violation shape=MP states=139
//: ra robust states=49
//: rc20 violation states=27
//: cpp20 violation states=27
//: rc20 observational violation
//: cpp20 observational violation
// As seqlock-once without the fence between the relaxed loads and the second look at the number:
// that look may be stale as well, and the reader keeps values that do not belong together.
// not observationally robust: the assertion uses the stale values
name "seqlock-no-fence";
domain 8;
global seq, x, y;

thread writer {
  seq.store(1, rlx);
  fence(rel);
  x.store(1, rlx);
  y.store(1, rlx);
  seq.store(2, rel);
}

thread reader {
  local s, t, a, b;
  do {
    do { s = seq.load(acq); } while (s % 2 == 1);
    a = x.load(rlx);
    b = y.load(rlx);
    t = seq.load(acq);
  } while (s != t);
  assert(a == b);
}
