//: sc safe
//: sra safe
//: ra unsettled
//: rc20 unsettled
//: cpp20 unsettled
//: tso safe
//: pso assertion-fails
//: pgas assertion-fails
//: ra violation
//: rc20 violation
//: cpp20 violation
//: tso violation
//: pso violation
//: pgas violation
// Threads that publish the same value again and again, and use it when they find that it is
// there. Safe under SRA, which is decided, and hence on TSO. Under RA both threads write both
// locations without an order between them, so SRA's answer is not enough, and executions never
// end: all values are the same, so it is safe, but safety under RA is undecidable in general,
// and nothing here settles it. RC20 likewise. With a buffer for each location the word gets to
// memory before the value.
name "publish-again";
domain 4;
global value, ready;

thread user[2] {
  local r, v;
  while (1) {
    r = ready.load(acq);
    if (r == 1) {
      v = value.load(acq);
      assert(v == 3);
    }
    value.store(3, rel);
    ready.store(1, rel);
  }
}
