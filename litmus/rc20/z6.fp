//: tso robust
//: pso violation
//: pgas violation
//: ra violation
//: rc20 robust
//: cpp20 violation
// Three stores that are SC, and one acquire load between two of them. `third` sets y before x, and
// both its stores lose: y ends as 1 only if `third` overwrites `second`'s 2, and x as 2 only if `first`
// overwrites `third`'s 1. Then `second`, which has seen `first`'s store, comes before `third` by S on
// y, and `third` before `first` on x. C++11 puts `first` before `second`, because it happens before;
// C++20 does not, because it does so not strongly: the load is no SC access. (Z6.U of Lahav, Vafeiadis,
// Kang, Hur and Dreyer 2017 has this shape.)
name "z6";
domain 3;
global x, y;

thread first {
  x.store(2, sc);
}

thread second {
  local r;
  r = x.load(acq);
  y.store(2, sc);
}

thread third {
  y.store(1, sc);
  x.store(1, sc);
}
