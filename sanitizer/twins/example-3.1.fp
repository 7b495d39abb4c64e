//: rc20 violation
//: cpp20 violation
// Store buffering with a second store behind the load (Margalit et al. 2025, example 3.1).
name "example-3.1";
domain 3;
global x, y;

thread left {
  local a;
  x.store(1, rlx);
  a = y.load(rlx);
  x.store(2, rlx);
}

thread right {
  local b;
  y.store(1, rlx);
  b = x.load(rlx);
  y.store(2, rlx);
}
