//: tso robust
//: pso robust
//: pgas robust
//: ra robust
//: rc20 robust
//: cpp20 robust
// The same with SC fences.
name "store-buffering-fences";
domain 2;
global x, y;

thread worker[*] {
  local r;
  choose {
    x.store(1, rlx);
    fence(sc);
    r = y.load(rlx);
  } or {
    y.store(1, rlx);
    fence(sc);
    r = x.load(rlx);
  }
}
