//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=36
//: rc20 violation shape=WRC states=29
//: cpp20 violation shape=WRC states=29
// Write-to-read causality with relaxed accesses: the reader may swap its loads, the relay its load
// and its store.
name "wrc+rlx";
domain 2;
global x, y;

thread writer {
  x.store(1, rlx);
}

thread relay {
  local r;
  r = x.load(rlx);
  y.store(1, rlx);
}

thread reader {
  local r, s;
  r = y.load(rlx);
  s = x.load(rlx);
}
