//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=36
//: rc20 robust states=36
//: cpp20 robust states=36
// Write-to-read causality with relaxed accesses of x; only the flag y is release/acquire. The relay
// has read x before it raises the flag, and who comes after a read in happens-before does not read
// an older value.
name "wrc+rlx-x";
domain 2;
global x, y;

thread writer {
  x.store(1, rlx);
}

thread relay {
  local r;
  r = x.load(rlx);
  y.store(1, rel);
}

thread reader {
  local r, s;
  r = y.load(acq);
  s = x.load(rlx);
}
