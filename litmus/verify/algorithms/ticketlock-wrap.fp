//: sc safe
//: sra safe
//: ra safe
//: rc20 assertion-fails
//: cpp20 assertion-fails
//: tso safe
//: pso safe
//: pgas safe
//: ra robust
//: rc20 violation
//: cpp20 violation
//: tso robust
//: pso robust
//: pgas robust
// A ticket lock with four tickets that are drawn by relaxed updates; the first thread comes
// again and again, the second once. To SRA and RA a draw synchronises, as in ticketlock. Under
// RC20 the second thread knows nothing of earlier rounds: while the first one is inside with its
// fifth ticket, 0, the second draws 1 and may be served by the call of 1 that ended the first
// round. Then both are inside.
name "ticketlock-wrap";
domain 4;
global next, serving, owner;

thread regular {
  local r, t;
  while (1) {
    t = next.fadd(1, rlx);
    wait(serving == t, acq);
    owner.store(1, rlx);
    r = owner.load(rlx);
    assert(r == 1);
    fence(rel);
    serving.store(t + 1, rlx);
  }
}

thread guest {
  local r, t;
  t = next.fadd(1, rlx);
  wait(serving == t, acq);
  owner.store(2, rlx);
  r = owner.load(rlx);
  assert(r == 2);
  fence(rel);
  serving.store(t + 1, rlx);
}
