//: sc safe
//: sra safe
//: ra unsettled
//: rc20 unsettled
//: tso safe
//: pso assertion-fails
//: pgas assertion-fails
//: ra violation
//: rc20 violation
//: tso violation
//: pso violation
//: pgas violation
// Initialisation that may run twice, with a reset by nobody and users that come again and again.
// Safe under SRA, which is decided. Under RA, two threads write the value and the word without
// an order between them, so SRA's answer is not enough, and the loops are beyond enumeration: it
// is safe, since all values are the same, but RA is undecidable in general, and nothing here
// settles it. RC20 likewise. Every thread stores once, so the machines are finite.
name "lazy-init-forever";
domain 4;
global value, ready;

thread user[2] {
  local r, v;
  while (1) {
    r = ready.load(acq);
    if (r == 0) {
      value.store(3, rel);
      ready.store(1, rel);
    }
    v = value.load(acq);
    assert(v == 3);
  }
}
