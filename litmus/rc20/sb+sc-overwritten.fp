//: tso violation shape=RWC states=61
//: pso violation shape=RWC states=61
//: pgas violation shape=RWC states=61
//: ra violation states=28
//: rc20 violation states=29
//: cpp20 violation states=29
// As sb+sc-third, but the left thread sees its SC store overwritten by the release store before it
// looks at y. When the right thread has read 1 from x it comes before the release store, but that
// one is not part of the total order, and the left thread may still miss y.
name "sb+sc-overwritten";
domain 4;
global x, y;

thread left {
  local r;
  x.store(1, sc);
  wait(x == 2, acq);
  r = y.load(sc);
}

thread right {
  local r;
  y.store(1, sc);
  r = x.load(sc);
}

thread third {
  x.store(2, rel);
}
