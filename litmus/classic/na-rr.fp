//: tso robust
//: pso robust
//: pgas robust
//: ra robust states=8
//: rc20 robust states=8
// Non-atomic reads alone never race.
name "na-rr";
domain 2;
nonatomic d = 1;

thread p[3] {
  local r;
  r = d;
  assert(r == 1);
}
