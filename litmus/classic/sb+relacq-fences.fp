//: tso violation shape=SB states=31
//: pso violation shape=SB states=37
//: pgas violation shape=SB states=37
//: ra violation states=10
//: rc20 violation states=10
//: cpp20 violation states=10
// Store buffering with acquire-release fences. These order everything except a store before a
// later load, which is exactly the pair that matters here.
name "sb+relacq-fences";
domain 2;
global x, y;

thread left {
  local r;
  x.store(1, rlx);
  fence(acqrel);
  r = y.load(rlx);
}

thread right {
  local r;
  y.store(1, rlx);
  fence(acqrel);
  r = x.load(rlx);
}
