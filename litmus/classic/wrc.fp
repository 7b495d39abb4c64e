//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=36
//: rc20 robust states=36
//: cpp20 robust states=36
// Write-to-read causality: the second thread passes on what it has seen, the third must see it
// too. Happens-before is transitive, so release/acquire guarantees it.
name "wrc";
domain 2;
global x, y;

thread writer { x.store(1, rel); }

thread relay {
  local r;
  r = x.load(acq);
  y.store(1, rel);
}

thread reader {
  local r, s;
  r = y.load(acq);
  s = x.load(acq);
}
