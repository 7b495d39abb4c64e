//: tso robust states=135477
//: pso violation shape=MP states=6354
//: pgas violation shape=MP states=6354
//: ra robust states=88228
//: rc20 violation states=7948
//: cpp20 violation states=7948
//: rc20 observational robust
//: cpp20 observational robust
// A sequence lock after Boehm (2012; Margalit and Lahav 2021, figure 6), for three threads that
// write or read and then read. As seqlock-fence, but the reader's second look is an update that
// changes nothing and releases ("read, don't modify, write") instead of a fence and a load: what
// the reader has loaded comes before whatever the next writer stores. The update is a blocking
// compare-and-swap from the number to itself, so a reader whose number has changed stays there. If
// it started again it would need an acquire fence first: it may have seen new data, and yet find
// the old number once more. See seqlock-rdmw-fadd.
// observationally robust (POPL 2021, Fig. 6)
name "seqlock-rdmw";
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
  local s, a, b;
  do { s = seq.load(acq); } while (s % 2 == 1);
  a = x.load(rlx);
  b = y.load(rlx);
  seq.bcas(s, s, rel);
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
