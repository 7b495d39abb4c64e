//: tso violation shape=SB states=31
//: pso violation shape=SB states=31
//: pgas violation shape=SB states=31
//: ra violation shape=SB states=10
//: rc20 violation shape=SB states=10
//: cpp20 violation shape=SB states=10
// Store buffering, the shape at the heart of Dekker's and Peterson's algorithms (Lamport 1979).
// Each thread raises its flag and then looks at the other one; both may see 0, because nothing
// makes a store visible before the following load takes its value. No interleaving gives that.
name "sb";
domain 2;
global x, y;

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
