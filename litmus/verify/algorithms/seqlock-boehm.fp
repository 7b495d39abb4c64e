//: sc safe
//: sra safe
//: ra safe
//: rc20 safe
//: cpp20 safe
//: tso safe
//: pso safe
//: pgas safe
//: ra robust
//: rc20 violation
//: cpp20 violation
//: tso robust
//: pso robust
//: pgas robust
// A sequence lock after Boehm (2012): relaxed data, a release fence behind the odd number and an
// acquire fence in front of the second look at it. Not robust under RC20, where data may be read
// that SC would not show with that number; but then the acquire fence synchronises with the
// release fence, the second look finds another number, and the data are dropped. The fence in
// front of the even number is for machines with a buffer for each location, as in
// seqlock-lwfence.
name "seqlock-boehm";
domain 8;
global seq, x, y;

thread writer {
  local s, v = 1;
  while (v < 3) {
    s = seq.fadd(1, acqrel);
    fence(rel);
    x.store(v, rlx);
    y.store(v, rlx);
    fence(rel);
    seq.store(s + 2, rlx);
    v = v + 1;
  }
}

thread reader {
  local s, t, a, b;
  do {
    do {
      s = seq.load(acq);
    } while (s % 2 == 1);
    a = x.load(rlx);
    b = y.load(rlx);
    fence(acq);
    t = seq.load(rlx);
  } while (s != t);
  assert(a == b);
}
