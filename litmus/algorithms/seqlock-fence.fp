//: tso robust states=153729
//: pso violation shape=MP states=6360
//: pgas violation shape=MP states=6360
//: ra robust states=89238
//: rc20 violation states=7627
//: cpp20 violation states=7627
//: rc20 observational robust
//: cpp20 observational robust
// A sequence lock after Boehm (2012; Margalit and Lahav 2021, figure 6), for three threads that
// write or read and then read. The writer's stores are relaxed behind a release fence; the reader
// has an acquire fence between its relaxed loads and its second look at the number. Loads may be
// stale in ways that SC does not know, but then the second look shows it, and they are dropped.
// observationally robust (POPL 2021, Fig. 6)
name "seqlock-fence";
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

thread p[3] {
  choose {
    write(me + 1);
  } or {
    read();
  }
  read();
}
