//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=26
//: rc20 robust states=26
//: cpp20 robust states=26
// As sb+rlx-rmws with the fences that an SC fence has around its hidden update: release before,
// acquire after. A relaxed update is then as good as an acquire-release one.
name "sb+rlx-rmws+fences";
domain 2;
global x, y, f;

thread left {
  local r;
  x.store(1, rlx);
  fence(rel);
  f.fadd(0, rlx);
  fence(acq);
  r = y.load(rlx);
}

thread right {
  local r;
  y.store(1, rlx);
  fence(rel);
  f.fadd(0, rlx);
  fence(acq);
  r = x.load(rlx);
}
