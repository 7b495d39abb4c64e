//: tso robust states=0
//: pso robust states=81
//: pgas violation shape=MP states=84
//: ra robust states=28
//: rc20 violation shape=MP states=17
//: cpp20 violation shape=MP states=17
// A light fence that covers a delayed store is delayed, and so is what is behind it: the store of y cannot overtake that of x. Under
// PGAS it can overtake that of z, which the fence does not list; under PSO it cannot.
name "delayed-fence";
domain 2;
global x, y, z;

thread write {
  z.store(1, rlx);
  x.store(1, rlx);
  lwfence(x);
  y.store(1, rlx);
}

thread read {
  local r;
  r = y.load(rlx);
  if (r == 1) {
    r = x.load(rlx);
  }
}

thread watch {
  local r;
  r = y.load(rlx);
  if (r == 1) {
    r = z.load(rlx);
  }
}
