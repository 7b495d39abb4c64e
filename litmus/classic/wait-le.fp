//: tso violation shape=SB states=26
//: pso violation shape=SB states=26
//: pgas violation shape=SB states=26
//: ra violation states=8
//: rc20 violation states=8
//: cpp20 violation states=8
// Store buffering with waits for "still at most 0". The comparison admits the stale initial value,
// so both threads can pass where SC stops one of them.
name "wait-le";
domain 4;
global x, y;

thread left {
  x.store(1, rel);
  wait(y <= 0, acq);
}

thread right {
  y.store(2, rel);
  wait(x < 1, acq);
}
