//: tso violation shape=R states=29
//: pso violation shape=R states=44
//: pgas violation shape=R states=44
//: ra violation shape=R states=14
//: rc20 violation shape=R states=14
//: cpp20 robust states=17
// R with a release store that its own thread reads back with an SC load. Without that load the
// release store has no place in S, and `right` may miss it although its store to y comes last. With
// it, a load that misses the store precedes the load that sees it, by C++20's text ([atomics.order]
// 3.4 and 4.1). RC11 has no such edge, and allows it; nor may one expect it of a compiler that
// forwards the stored value to the load. See sb+sc-readback about what becomes of this rule.
name "r+sc-readback";
domain 3;
global x, y;

thread left {
  local r;
  x.store(1, rel);
  r = x.load(sc);
  y.store(1, sc);
}

thread right {
  local r;
  y.store(2, sc);
  r = x.load(sc);
}
