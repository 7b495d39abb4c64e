//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=18
//: rc20 violation shape=ISA2 states=17
//: cpp20 violation shape=ISA2 states=17
// A chain of two messages; a light fence in the first sender only. The relay has one store, so it needs none.
name "isa2+lwfence-one";
domain 2;
global x, y, z;

thread first {
  x.store(1, rlx);
  lwfence(x);
  y.store(1, rlx);
}

thread relay {
  local r;
  r = y.load(rlx);
  if (r == 1) {
    z.store(1, rlx);
  }
}

thread last {
  local r;
  r = z.load(rlx);
  if (r == 1) {
    r = x.load(rlx);
  }
}
