//: sc assertion-fails
//: tso robust
//: pso robust
//: pgas robust
//: ra unsupported
//: rc20 unsupported
//: cpp20 unsupported
// A section that fails leaves nothing behind: nobody sees its store, so the other two never come to their store buffering.
name "atomic+fails";
domain 2;
global x, y, z;

thread fails {
  atomic {
    x.store(1, rlx);
    assert(0 == 1);
  }
}

thread left {
  local r;
  r = x.load(rlx);
  assume(r == 1);
  y.store(1, rlx);
  r = z.load(rlx);
}

thread right {
  local r;
  r = x.load(rlx);
  assume(r == 1);
  z.store(1, rlx);
  r = y.load(rlx);
}
