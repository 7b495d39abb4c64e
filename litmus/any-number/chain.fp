//: tso robust
//: pso violation copies=4 shape=ISA2
//: pgas violation copies=4 shape=ISA2
//: ra violation copies=4
//: rc20 violation copies=4 shape=ISA2
//: cpp20 violation copies=4 shape=ISA2
// A message that is passed on, by a copy that acquires nothing: four copies show it, and no fewer.
name "chain";
domain 2;
global x, y, z;

thread worker[*] {
  local r;
  choose {
    x.store(1, rlx);
    y.store(1, rel);
  } or {
    wait(y == 1, rlx);
    z.store(1, rel);
  } or {
    wait(z == 1, acq);
    wait(x == 1, rlx);
    wait(x == 0, rlx);
  }
}
