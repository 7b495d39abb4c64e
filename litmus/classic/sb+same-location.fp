//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=17
//: rc20 robust states=17
//: cpp20 robust states=17
// Both threads write and read the same location. A thread sees its own store or a newer one, so
// there is nothing to buffer.
name "sb+same-location";
domain 4;
global x;

thread p[2] {
  local r;
  x.store(me + 1, rel);
  r = x.load(acq);
  assert(r != 0);
}
