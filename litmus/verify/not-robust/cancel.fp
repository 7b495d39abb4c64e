//: sc safe
//: sra safe
//: ra safe
//: rc20 safe
//: cpp20 safe
//: tso safe
//: pso safe
//: pgas safe
//: ra violation
//: rc20 violation
//: cpp20 violation
//: tso violation
//: pso violation
//: pgas violation
// Cancellation: a worker counts its steps and asks after each whether it should stop; somebody
// says so, and then watches the count. The worker may go on for a while, but never backwards.
// Not robust: counting and asking, saying and watching are store buffering, and more steps than
// SC would allow are made. One writer each, so RA reaches what SRA reaches, and RC20 no more.
// The worker makes three steps at most, so the machines are finite.
name "cancel";
domain 4;
global stop, steps;

thread worker {
  local s, n;
  while (!s && n < 3) {
    n = n + 1;
    steps.store(n, rel);
    s = stop.load(acq);
  }
}

thread boss {
  local a, b;
  stop.store(1, rel);
  while (1) {
    b = steps.load(acq);
    assert(b >= a);
    a = b;
  }
}
