//: tso robust states=17
//: pso violation shape=MP states=20
//: pgas violation shape=MP states=20
//: ra robust states=8
//: rc20 robust states=8
//: cpp20 robust states=8
// Message passing in both directions over one non-atomic cell: the consumer acknowledges, the
// producer waits for the acknowledgement before it overwrites. The two flags order all accesses to
// the cell, so there is no race.
name "mp+handshake";
domain 2;
global full;
nonatomic cell;

thread producer {
  while (1) {
    wait(full == 0, acq);
    cell = 1;
    full.store(1, rel);
  }
}

thread consumer {
  local r;
  while (1) {
    wait(full == 1, acq);
    r = cell;
    assert(r == 1);
    cell = 0;
    full.store(0, rel);
  }
}
