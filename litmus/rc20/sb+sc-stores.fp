//: tso violation shape=SB states=31
//: pso violation shape=SB states=31
//: pgas violation shape=SB states=31
//: ra violation shape=SB states=10
//: rc20 violation shape=SB states=10
//: cpp20 violation shape=SB states=10
// Store buffering with SC stores and relaxed loads. On x86 this is safe, because the store carries
// the fence; the language does not promise it, and on ARMv8 a relaxed load may overtake the store.
name "sb+sc-stores";
domain 2;
global x, y;

thread left {
  local r;
  x.store(1, sc);
  r = y.load(rlx);
}

thread right {
  local r;
  y.store(1, sc);
  r = x.load(rlx);
}
