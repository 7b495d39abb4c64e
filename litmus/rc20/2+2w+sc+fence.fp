//: tso robust states=0
//: pso violation shape=2+2W states=26
//: pgas violation shape=2+2W states=26
//: ra violation shape=2+2W states=14
//: rc20 violation shape=2+2W states=14
//: cpp20 robust states=13
// 2+2W with SC stores in one thread and an SC fence between relaxed stores in the other. If both
// second stores lost, S would have the fence before `left`'s store to x (the fence comes before the
// store of 2, which 1 overwrites) and `left`'s store to y before the fence. `left` has them the
// other way round, so C++20 rules it out, and RC11 does. In rc20 fences and SC accesses do not see
// each other.
name "2+2w+sc+fence";
domain 3;
global x, y;

thread left {
  x.store(1, sc);
  y.store(2, sc);
}

thread right {
  y.store(1, rlx);
  fence(sc);
  x.store(2, rlx);
}
