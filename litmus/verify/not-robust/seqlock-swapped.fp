//: sc safe
//: sra safe
//: ra safe
//: rc20 safe
//: cpp20 safe
//: tso safe
//: pso safe
//: pgas safe
//: ra robust
//: rc20 robust
//: cpp20 robust
//: tso robust
//: pso violation
//: pgas violation
// The sequence lock of algorithms/seqlock-lwfence with a reader that looks at the two words in
// the opposite order. Where each location has its buffer the words may swap, and the reader
// finds the second one new and the first one old, which SC does not explain; but the number is
// odd then, and it starts again. The update that makes the number odd empties the buffers, so
// the machines are finite.
name "seqlock-swapped";
domain 8;
global seq, x, y;

thread writer {
  local s, v = 1;
  while (v < 3) {
    s = seq.fadd(1, acqrel);
    x.store(v, rel);
    y.store(v, rel);
    lwfence();
    seq.store(s + 2, rel);
    v = v + 1;
  }
}

thread reader {
  local s, t, a, b;
  do {
    do {
      s = seq.load(acq);
    } while (s % 2 == 1);
    b = y.load(acq);
    a = x.load(acq);
    t = seq.load(acq);
  } while (s != t);
  assert(a == b);
}
