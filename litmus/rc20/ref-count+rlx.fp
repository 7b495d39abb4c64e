//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=38
//: rc20 violation kind=data-race location=object states=35
//: cpp20 violation kind=data-race location=object states=35
// Reference counting with relaxed decrements and an acquire fence: the fence has nothing to
// acquire.
name "ref-count+rlx";
domain 4;
const N = 3;
global count = N;
nonatomic object = 1;

thread holder[N] {
  local r;
  r = object;
  assert(r == 1);
  r = count.fsub(1, rlx);
  if (r == 1) {
    fence(acq);
    object = 0;
  }
}
