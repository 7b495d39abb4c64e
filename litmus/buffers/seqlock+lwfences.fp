//: tso robust states=0
//: pso robust states=121
//: pgas robust states=110
//: ra robust states=49
//: rc20 violation shape=MP states=28
//: cpp20 violation shape=MP states=28
// The writer of a sequence lock with a light fence on either side of the data: all its stores stay in order.
name "seqlock+lwfences";
domain 4;
global seq, data[2];

thread write {
  seq.store(1, rlx);
  lwfence(seq);
  data[0].store(1, rlx);
  data[1].store(1, rlx);
  lwfence(data);
  seq.store(2, rlx);
}

thread read {
  local s, t, a, b;
  s = seq.load(rlx);
  if (s % 2 == 0) {
    a = data[0].load(rlx);
    b = data[1].load(rlx);
    t = seq.load(rlx);
    if (s == t) {
      assert(a == b);
    }
  }
}
