//: tso robust states=153729
//: pso violation shape=MP states=5301
//: pgas violation shape=MP states=5301
//: ra robust states=89238
//: rc20 violation states=7417
//: cpp20 violation states=7417
//: rc20 observational robust
//: cpp20 observational robust
// A sequence lock after Boehm (2012; Margalit and Lahav 2021, figure 6), for three threads that
// write or read and then read. As seqlock-fence with release stores of the data in place of the
// writer's fence.
// observationally robust (POPL 2021, Fig. 6)
name "seqlock-fence-rw";
domain 8;
global seq, x, y;

proc write(v) {
  local s, r;
  do {
    do { s = seq.load(rlx); } while (s % 2 == 1);
    r = seq.cas(s, s + 1, acq, rlx);
  } while (r != s);
  x.store(v, rel);
  y.store(v, rel);
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
