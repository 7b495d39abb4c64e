//: tso violation shape=SB states=74
//: pso violation shape=SB states=74
//: pgas violation shape=SB states=74
//: ra violation shape=SB states=29
//: rc20 violation shape=SB states=29
//: cpp20 violation shape=SB states=29
// Store buffering, and two threads that have nothing to do with it and never end. A search that may
// put off the steps of some threads must not put them off for ever: the counter comes round to where it
// was, while a search that looks out for uses of its old values finds new states all the time.
name "sb+beside-counter";
domain 4;
global c, x, y;

thread counter {
  local r;
  while (1) {
    r = c.fadd(1);
  }
}

thread reader {
  local r;
  while (1) {
    r = c.load();
  }
}

thread left {
  local r;
  x.store(1, rel);
  r = y.load(acq);
}

thread right {
  local r;
  y.store(1, rel);
  r = x.load(acq);
}
