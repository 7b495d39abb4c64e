//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=8
//: rc20 robust states=8
//: cpp20 robust states=8
// Non-atomic reads alone never race.
name "na-rr";
domain 2;
nonatomic d = 1;

thread p[3] {
  local r;
  r = d;
  assert(r == 1);
}
