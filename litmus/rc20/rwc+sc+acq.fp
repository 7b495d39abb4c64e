//: tso violation
//: pso violation
//: pgas violation
//: ra violation
//: rc20 robust
//: cpp20 violation
// Read-to-write causality where all accesses but the first load of the reader are SC. The store that
// `reader` sees with an acquire load happens before its next load, but not strongly, and so need not
// come before it in S. C++11 asked for that.
name "rwc+sc+acq";
domain 2;
global x, y;

thread writer {
  x.store(1, sc);
}

thread reader {
  local a, b;
  a = x.load(acq);
  b = y.load(sc);
}

thread other {
  local c;
  y.store(1, sc);
  c = x.load(sc);
}
