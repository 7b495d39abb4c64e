//: tso violation shape=SB states=50
//: pso violation shape=SB states=49
//: pgas violation shape=SB states=49
//: ra violation states=13
//: rc20 violation states=13
//: cpp20 violation states=13
// Store buffering where the right thread accepts any of two values of x, both overwritten in the
// meantime. When the left thread has missed y, SC leaves only the last value of x, and that one is
// not accepted.
name "wait-either";
domain 4;
global x, y;

thread left {
  local r;
  x.store(1, rel);
  x.store(2, rel);
  r = y.load(acq);
}

thread right {
  y.store(1, rel);
  wait(x == 0 || x == 1, acq);
}
