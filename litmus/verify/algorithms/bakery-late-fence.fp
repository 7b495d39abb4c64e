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
// Lamport's bakery for two threads with the second fence only, behind the number. A thread may
// announce its choice and read the other's number before the announcement is seen: the other one
// finds nobody choosing and no number, and enters with the ticket 1; then the first one stores
// its number, also 1, and if it is the one with the smaller index it goes first. On TSO the
// fence empties the buffer too late.
name "bakery-late-fence";
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
    fence(sc);
    choosing[me].store(0, rel);
    wait(choosing[1 - me] == 0, acq);
    do {
      b = number[1 - me].load(acq);
    } while (b != 0 && (b < a || (b == a && 1 - me < me)));
    owner.store(me, rlx);
    r = owner.load(rlx);
    assert(r == me);
    lwfence();
    number[me].store(0, rel);
  }
}
