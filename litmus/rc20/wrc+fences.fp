//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=36
//: rc20 robust states=36
//: cpp20 robust states=36
// Write-to-read causality with relaxed accesses and one fence each in relay (release) and reader
// (acquire).
name "wrc+fences";
domain 2;
global x, y;

thread writer {
  x.store(1, rlx);
}

thread relay {
  local r;
  r = x.load(rlx);
  fence(rel);
  y.store(1, rlx);
}

thread reader {
  local r, s;
  r = y.load(rlx);
  fence(acq);
  s = x.load(rlx);
}
