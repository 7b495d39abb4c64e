//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=17
//: rc20 violation shape=WRC states=15
//: cpp20 violation shape=WRC states=15
// Write-to-read causality. Who reads a store reads it from memory, where it is for everybody: without any fence in the
// relay, a store can be seen late by nobody. The relay stores twice; the light fence keeps its stores in order.
name "wrc+lwfence";
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
    lwfence(z);
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
