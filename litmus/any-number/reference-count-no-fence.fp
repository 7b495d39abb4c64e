//: tso robust
//: pso robust
//: pgas robust
//: ra violation copies=3
//: rc20 violation copies=2
//: cpp20 violation copies=2
// Without the fence, who destroys the object has not acquired what the others did with it.
name "reference-count-no-fence";
domain 4;
global strong = 2;
nonatomic object = 1;

thread worker[*] {
  local r;
  r = object;
  r = strong.fsub(1, rel);
  if (r == 1) {
    object = 0;
  }
}
