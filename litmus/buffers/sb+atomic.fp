//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra unsupported
//: rc20 unsupported
//: cpp20 unsupported
// Store buffering with the stores in atomic sections: a section leaves nothing in the buffer.
name "sb+atomic";
domain 2;
global x, y;

thread left {
  local r;
  atomic {
    x.store(1, rlx);
  }
  r = y.load(rlx);
}

thread right {
  local r;
  atomic {
    y.store(1, rlx);
  }
  r = x.load(rlx);
}
