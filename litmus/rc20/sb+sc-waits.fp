//: tso violation shape=SB states=26
//: pso violation shape=SB states=26
//: pgas violation shape=SB states=26
//: ra violation shape=SB states=8
//: rc20 robust states=8
//: cpp20 robust states=8
// Two SC waits for the initial value: at most one of them gets past.
name "sb+sc-waits";
domain 2;
global x, y;

thread left {
  x.store(1, sc);
  wait(y == 0, sc);
}

thread right {
  y.store(1, sc);
  wait(x == 0, sc);
}
