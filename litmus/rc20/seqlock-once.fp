//: tso robust states=0
//: pso violation shape=MP states=221
//: pgas violation shape=MP states=221
//: ra robust states=138
//: rc20 violation states=80
//: cpp20 violation states=80
//: rc20 observational robust
//: cpp20 observational robust
// The litmus test of a sequence lock with one writer that writes twice and one reader (Margalit and
// Lahav 2021, example 4.8, after Boehm 2012). The reader's relaxed loads may see new x and old y
// together, which no SC run shows. The fence behind them then makes it see the new number too, so
// that it drops what it has read.
// observationally robust (POPL 2021, example 4.10)
name "seqlock-once";
domain 8;
global seq, x, y;

thread writer {
  seq.store(1, rlx);
  fence(rel);
  x.store(1, rlx);
  y.store(1, rlx);
  seq.store(2, rel);
  seq.store(3, rlx);
  fence(rel);
  x.store(2, rlx);
  y.store(2, rlx);
  seq.store(4, rel);
}

thread reader {
  local s, t, a, b;
  do {
    do { s = seq.load(acq); } while (s % 2 == 1);
    a = x.load(rlx);
    b = y.load(rlx);
    fence(acq);
    t = seq.load(rlx);
  } while (s != t);
  assert(a == b);
}
