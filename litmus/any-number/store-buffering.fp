//: tso violation copies=2 shape=SB
//: pso violation copies=2 shape=SB
//: pgas violation copies=2 shape=SB
//: ra violation copies=2 shape=SB
//: rc20 violation copies=2 shape=SB
//: cpp20 violation copies=2 shape=SB
// Each copy takes one side of store buffering: two copies show it.
name "store-buffering";
domain 2;
global x, y;

thread worker[*] {
  local r;
  choose {
    x.store(1, rel);
    r = y.load(acq);
  } or {
    y.store(1, rel);
    r = x.load(acq);
  }
}
