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
//: pso robust
//: pgas robust
// The sequence lock with a light fence in front of the even number: now the data are in memory
// before it, and the update that makes the number odd empties the buffers. Where each location
// has its buffer the two words may swap, but the reader looks at them in the order in which they
// are written, which SC explains.
name "seqlock-lwfence";
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
    a = x.load(acq);
    b = y.load(acq);
    t = seq.load(acq);
  } while (s != t);
  assert(a == b);
}
