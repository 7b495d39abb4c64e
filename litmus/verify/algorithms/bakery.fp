//: sc safe
//: sra assertion-fails
//: ra assertion-fails
//: rc20 assertion-fails
//: cpp20 assertion-fails
//: tso assertion-fails
//: pso assertion-fails
//: pgas assertion-fails
//: ra violation
//: rc20 violation
//: cpp20 violation
//: tso violation
//: pso violation
//: pgas violation
// Lamport's bakery (1974) for two threads, for ever, with tickets up to 3: a thread that would
// need a larger one stays away. Without fences both may find no number and no choosing on the
// other side: store buffering.
name "bakery";
domain 4;
const N = 2;
global choosing[N], number[N], owner;

thread p[N] {
  local a, b, r;
  while (1) {
    choosing[me].store(1, rel);
    a = number[1 - me].load(acq);
    assume(a < 3);
    a = a + 1;
    number[me].store(a, rel);
    choosing[me].store(0, rel);
    wait(choosing[1 - me] == 0, acq);
    do {
      b = number[1 - me].load(acq);
    } while (b != 0 && (b < a || (b == a && 1 - me < me)));
    owner.store(me, rlx);
    r = owner.load(rlx);
    assert(r == me);
    number[me].store(0, rel);
  }
}
