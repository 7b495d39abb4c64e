//: tso violation shape=SB states=54
//: pso violation shape=SB states=54
//: pgas violation shape=SB states=54
//: ra violation states=44
//: rc20 violation states=44
//: cpp20 violation states=44
// Store buffering where each thread may or may not take the fence. One run without fences is
// enough.
name "sb+choose";
domain 2;
global x, y;

thread left {
  local r;
  x.store(1, rlx);
  choose { fence(sc); } or { skip; }
  r = y.load(rlx);
}

thread right {
  local r;
  y.store(1, rlx);
  choose { fence(sc); } or { skip; }
  r = x.load(rlx);
}
