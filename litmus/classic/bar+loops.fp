//: tso violation shape=SB states=21
//: pso violation shape=SB states=21
//: pgas violation shape=SB states=21
//: ra violation shape=SB states=10
//: rc20 violation shape=SB states=10
//: cpp20 violation shape=SB states=10
// A barrier for two threads with busy loops (Lahav and Margalit 2019, section 2.3). Both may spin
// on a stale 0 after both stores, which no SC run shows. Harmless, since they only wait longer;
// compare barw-1-1.
name "bar+loops";
domain 2;
global x, y;

thread left {
  local r;
  x.store(1, rel);
  do { r = y.load(acq); } while (r != 1);
}

thread right {
  local r;
  y.store(1, rel);
  do { r = x.load(acq); } while (r != 1);
}
