//: tso robust states=0
//: pso violation shape=MP states=27
//: pgas violation shape=MP states=27
//: ra robust states=17
//: rc20 violation shape=WRC states=15
//: cpp20 violation shape=WRC states=15
// As wrc+lwfence.fp, without the fence: the relay's second store can overtake its first one.
name "wrc+stores";
domain 2;
global x, y, z;

thread write {
  x.store(1, rlx);
}

thread relay {
  local r;
  r = x.load(rlx);
  if (r == 1) {
    z.store(1, rlx);
    y.store(1, rlx);
  }
}

thread read {
  local r;
  r = y.load(rlx);
  if (r == 1) {
    r = x.load(rlx);
    r = z.load(rlx);
  }
}
