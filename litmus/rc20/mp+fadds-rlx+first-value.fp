//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=22
//: rc20 violation shape=MP location=x values=0 states=21
//: cpp20 violation shape=MP location=x values=0 states=21
// Message passing by relaxed updates, to a thread that waits for a value that was overwritten twice. Only the first of
// the three writes to x satisfies the wait, and only the last one matters to SC: a search that looks out for uses of the
// first must let happen what is in between. The idle thread gives such a search something else to do.
name "mp+fadds-rlx+first-value";
domain 3;
global x, y, z;

thread first {
  x.store(1, rlx);
}

thread sender {
  local r;
  wait(x == 1, rlx);
  x.store(2, rlx);
  r = y.fadd(1, rlx);
}

thread receiver {
  local r;
  r = y.fadd(1, rlx);
  wait(x == 0, rlx);
}

thread idle {
  local r;
  while (1) {
    r = z.load(rlx);
  }
}
