//: sc safe
//: sra safe
//: ra safe
//: rc20 safe
//: cpp20 safe
//: tso safe
//: pso assertion-fails
//: pgas assertion-fails
//: ra violation
//: rc20 violation
//: cpp20 violation
//: tso violation
//: pso violation
//: pgas violation
// Initialisation that may run twice, with users that come again and again. Two threads write the
// value and the word without an order between them, so SRA's answer is not enough for RA. But a
// user that has said that the value is there reads so ever after: every thread stores once,
// executions are finite but for reads that change nothing, and a search of RA comes to its end.
// RC20 permits no more than RA, as every access is a release or an acquire. The machines are
// finite, too.
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
