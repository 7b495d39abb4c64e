//: tso violation shape=SB
//: pso violation shape=SB
//: pgas violation shape=SB
//: ra violation shape=SB states=8
//: rc20 robust states=8
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
