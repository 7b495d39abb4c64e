//: tso robust
//: pso violation
//: pgas violation
//: ra robust
//: rc20 violation
//: cpp20 violation
// Message passing by relaxed accesses with an SC fence in each thread, on the wrong side of the store
// and of the load: nothing is between the two stores, and nothing between the two loads.
name "fences-do-not-synchronise";
domain 2;
global x, y;

thread writer {
  fence(sc);
  x.store(1, rlx);
  y.store(1, rlx);
}

thread reader {
  local a, b;
  a = y.load(rlx);
  b = x.load(rlx);
  fence(sc);
}
