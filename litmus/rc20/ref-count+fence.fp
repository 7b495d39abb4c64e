//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=38
//: rc20 robust states=41
//: cpp20 robust states=41
// Reference counting as in C++ and Rust libraries: decrements release, and only the last holder
// pays for an acquire fence. All decrements are in the release sequences of those before them, so
// the fence synchronises with every holder.
name "ref-count+fence";
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
    fence(acq);
    object = 0;
  }
}
