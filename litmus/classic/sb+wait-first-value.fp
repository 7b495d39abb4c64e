//: ra violation shape=SB location=x values=0 states=22
//: rc20 violation shape=SB location=x values=0 states=22
// Store buffering in which one thread waits for a value that was overwritten twice. Only the first of the three writes
// to x satisfies the wait, and only the last one matters to SC: what is in between must be let happen by a search
// that looks out for uses of the first. The idle thread gives such a search something else to do.
name "sb+wait-first-value";
domain 3;
global x, y, z;

thread first {
  x.store(1);
}

thread left {
  local r;
  wait(x == 1);
  x.store(2);
  r = y.load();
}

thread right {
  y.store(1);
  wait(x == 0);
}

thread idle {
  local r;
  while (1) {
    r = z.load();
  }
}
