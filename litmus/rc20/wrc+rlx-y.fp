//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=36
//: rc20 violation states=29
//: cpp20 violation states=29
// Write-to-read causality with relaxed accesses of the flag y: what the relay knows stays with it.
name "wrc+rlx-y";
domain 2;
global x, y;

thread writer {
  x.store(1, rel);
}

thread relay {
  local r;
  r = x.load(acq);
  y.store(1, rlx);
}

thread reader {
  local r, s;
  r = y.load(rlx);
  s = x.load(acq);
}
