//: tso violation shape=SB states=231
//: pso violation shape=SB states=231
//: pgas violation shape=SB states=231
//: ra violation states=99
//: rc20 violation states=99
//: cpp20 violation states=99
// Store buffering with arbitrary written values. Which value is written does not matter, only that
// the loads may miss it.
name "sb+nondet";
domain 4;
global x, y;

thread left {
  local r, v;
  v = nondet(0, 3);
  x.store(v, rel);
  r = y.load(acq);
}

thread right {
  local r, v;
  v = nondet(1, 2);
  y.store(v, rel);
  r = x.load(acq);
}
