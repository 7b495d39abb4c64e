//: tso robust
//: pso violation copies=1 shape=MP
//: pgas violation copies=1 shape=MP
//: ra robust
//: rc20 violation copies=1
//: cpp20 violation copies=1
// The reader leaves without releasing, so a writer that comes next may race with it.
name "readers-writer-lost";
domain 5;
const WRITER = 4;
global state;
nonatomic data;

thread writer {
  state.bcas(0, WRITER, acq);
  data = 1;
  state.store(0, rel);
}

thread reader[*] {
  local r, seen, v;
  seen = 1;
  while (seen) {
    do { r = state.load(rlx); } while (r >= 3);
    v = state.cas(r, r + 1, acq, rlx);
    seen = v != r;
  }
  v = data;
  r = state.fsub(1, rlx);
}
