//: sc safe
//: sra safe
//: ra safe
//: rc20 assertion-fails
//: cpp20 assertion-fails
//: tso safe
//: pso safe
//: pgas safe
//: ra robust
//: rc20 violation
//: cpp20 violation
//: tso robust
//: pso robust
//: pgas robust
// The sequence lock of seqlock-boehm without the reader's acquire fence. SRA and RA take every
// load for an acquire load, and machines keep loads in order. Under RC20 the reader may read a
// new word and an old one, and still find the old number at its second look.
name "seqlock-no-fence";
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
    t = seq.load(rlx);
  } while (s != t);
  assert(a == b);
}
