//: tso robust states=8
//: pso robust states=8
//: pgas robust states=8
//: ra unsupported
//: rc20 unsupported
//: cpp20 unsupported
// A section that can be completed only after somebody else has moved: what it would have done before does not happen.
// So nobody can get in between the store and the load of the other thread.
name "atomic+blocked";
domain 2;
global x, y;

thread section {
  atomic {
    y.store(1, rlx);
    wait(x == 1, rlx);
  }
}

thread clean {
  local r;
  x.store(1, rlx);
  r = y.load(rlx);
}
