//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=50
//: rc20 robust states=50
//: cpp20 robust states=33
// Store buffering where each thread chooses between two ways to order its store before its load:
// an SC fence, or no load at all. Every branch is safe.
name "sb+choose-fenced";
domain 2;
global x, y;

thread left {
  local r;
  x.store(1, rlx);
  choose {
    fence(sc);
    r = y.load(rlx);
  } or {
    skip;
  }
}

thread right {
  local r;
  y.store(1, rlx);
  choose {
    fence(sc);
    r = x.load(rlx);
  } or {
    skip;
  }
}
