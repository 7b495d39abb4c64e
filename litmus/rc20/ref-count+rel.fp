//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=38
//: rc20 violation kind=data-race location=object states=35
//: cpp20 violation kind=data-race location=object states=35
// Reference counting where the acquire fence of the last holder was forgotten: it may destroy the
// object while others still use it.
name "ref-count+rel";
domain 4;
const N = 3;
global count = N;
nonatomic object = 1;

thread holder[N] {
  local r;
  r = object;
  assert(r == 1);
  r = count.fsub(1, rel);
  if (r == 1) {
    object = 0;
  }
}
