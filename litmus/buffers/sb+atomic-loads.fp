//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra unsupported
//: rc20 unsupported
//: cpp20 unsupported
// Store buffering with the loads in atomic sections: to enter one, the buffer must be empty.
name "sb+atomic-loads";
domain 2;
global x, y;

thread left {
  local r;
  x.store(1, rlx);
  atomic {
    r = y.load(rlx);
  }
}

thread right {
  local r;
  y.store(1, rlx);
  atomic {
    r = x.load(rlx);
  }
}
