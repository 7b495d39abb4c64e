//: tso violation shape=SB states=26
//: pso violation shape=SB states=26
//: pgas violation shape=SB states=26
//: ra violation shape=SB states=8
//: rc20 violation shape=SB states=8
//: cpp20 violation shape=SB states=8
// A barrier-like program where both threads wait for the initial value. Under SC at most one of
// them gets past; with stale reads both do. The violation shows although no SC run ever lets the
// second wait succeed.
name "barw-0-0";
domain 4;
global x, y;

thread left {
  x.store(1, rel);
  wait(y == 0, acq);
}

thread right {
  y.store(1, rel);
  wait(x == 0, acq);
}
