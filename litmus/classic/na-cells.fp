//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=14
//: rc20 robust states=14
//: cpp20 robust states=14
// Threads that write different cells of a non-atomic array do not race; the last one to arrive may
// read them all.
name "na-cells";
domain 4;
const N = 2;
global arrived;
nonatomic cell[N];

thread p[N] {
  local r, s;
  cell[me] = me + 1;
  r = arrived.fadd(1, acqrel);
  if (r == 1) {
    r = cell[0];
    s = cell[1];
    assert(r == 1 && s == 2);
  }
}
