//: tso robust
//: pso violation copies=1 shape=MP
//: pgas violation copies=1 shape=MP
//: ra robust
//: rc20 robust
//: cpp20 robust
// A reader-writer lock that counts up to two readers. More of them wait. One kind of thread
// writes, another one reads, and there is any number of both.
name "readers-writer";
domain 5;
const WRITER = 4;
global state;
nonatomic data;

thread writer[*] {
  state.bcas(0, WRITER, acq);
  data = 1;
  state.store(0, rel);
}

thread reader[*] {
  local r, seen, v;
  seen = 1;
  while (seen) {
    do { r = state.load(rlx); } while (r >= 2);
    v = state.cas(r, r + 1, acq, rlx);
    seen = v != r;
  }
  v = data;
  r = state.fsub(1, rel);
}
