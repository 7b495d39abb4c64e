//: tso robust states=0
//: pso violation shape=MP states=1219
//: pgas violation shape=MP states=1219
//: ra robust states=9778
//: rc20 robust states=11282
//: cpp20 robust states=11282
// A sequence lock (Lameter 2005; Boehm 2012): writers make the sequence number odd while they
// write, readers retry when it was odd or has changed. Two writers and two readers. Writers follow
// each other through the number, so all writes are ordered by happens-before, and then nobody can
// be caught with a stale value that an earlier read would not explain.
name "seqlock";
domain 8;
global seq, a, b;

thread writer[2] {
  local s, r;
  do {
    do { s = seq.load(rlx); } while (s % 2 == 1);
    r = seq.cas(s, s + 1, acq, rlx);
  } while (r != s);
  a.store(me + 1, rel);
  b.store(me + 1, rel);
  seq.store(s + 2, rel);
}

thread reader[2] {
  local s, t, x, y;
  do {
    do { s = seq.load(acq); } while (s % 2 == 1);
    x = a.load(acq);
    y = b.load(acq);
    t = seq.load(rlx);
  } while (s != t);
  assert(x == y);
}
