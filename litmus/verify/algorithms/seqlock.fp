//: sc safe
//: sra safe
//: ra safe
//: rc20 safe
//: cpp20 safe
//: tso safe
//: pso assertion-fails
//: pgas assertion-fails
//: ra robust
//: rc20 robust
//: cpp20 robust
//: tso robust
//: pso violation
//: pgas violation
// A sequence lock (Lameter 2005): a writer that makes the number odd, writes two words and makes
// it even again, twice, and a reader that starts again when the number was odd or has changed.
// With release stores and acquire loads the data tell the reader of the odd number in front of
// them, so a torn pair comes with a changed number. With a buffer for each location the even
// number may get to memory before the data.
name "seqlock";
domain 8;
global seq, x, y;

thread writer {
  local s, v = 1;
  while (v < 3) {
    s = seq.fadd(1, acqrel);
    x.store(v, rel);
    y.store(v, rel);
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
