//: tso violation shape=SB states=41
//: pso violation shape=SB states=41
//: pgas violation shape=SB states=41
//: ra violation shape=SB states=14
//: rc20 violation shape=SB states=14
//: cpp20 robust states=17
// Store buffering in which `left` stores with a relaxed store and reads that back with an SC load.
// By the text of C++20 this is enough: `right`'s load, if it misses the store, is coherence-ordered
// before the load that sees it, and both are SC, so S has a cycle. But compilers for x86 implement
// an SC load by a plain load, which is served from the store buffer: both threads can read 0 there,
// and do. The standard forbids this by mistake (LWG 3941, open; found by Lahav); RC11 allows it.
name "sb+sc-readback";
domain 2;
global x, y;

thread left {
  local r, s;
  x.store(1, rlx);
  r = x.load(sc);
  s = y.load(sc);
}

thread right {
  local r;
  y.store(1, sc);
  r = x.load(sc);
}
