//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=38
//: rc20 robust states=41
//: cpp20 robust states=41
// Reference counting: each holder uses the object and then gives up its reference; the last one
// destroys the object. The decrements form a chain that hands all uses over to the one who
// destroys, so there is no race.
name "ref-count";
domain 4;
const N = 3;
global count = N;
nonatomic object = 1;

thread holder[N] {
  local r;
  r = object;
  assert(r == 1);
  r = count.fsub(1, acqrel);
  if (r == 1) {
    object = 0;
  }
}
