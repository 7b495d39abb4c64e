//: tso robust states=0
//: pso violation states=16
//: pgas violation states=16
//: ra robust states=8
//: rc20 violation states=7
//: cpp20 violation states=7
//: rc20 observational violation
//: cpp20 observational violation
// Message passing where the data is read by a strong compare-and-swap that expects what is in a register. After the
// flag it fails in SC. With relaxed accesses it can succeed, on the overwritten 0; it cannot fail with a stale value.
// Nothing else in this program can be stale.
name "mp+cas-register";
domain 3;
global data, flag;

thread producer {
  data.store(1, rlx);
  flag.store(1, rlx);
}

thread consumer {
  local r, expected, seen;
  r = flag.load(rlx);
  expected = r - r;
  if (r == 1) {
    seen = data.cas(expected, 2, rlx);
  }
}
