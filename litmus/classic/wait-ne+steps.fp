//: tso violation shape=SB states=45
//: pso violation shape=SB states=44
//: pgas violation shape=SB states=44
//: ra violation states=12
//: rc20 violation states=12
//: cpp20 violation states=12
// As wait-ne, but y takes two steps before the right thread looks at x. The left thread may pass
// its wait between the steps, which puts it before the second one; under SC the right thread must
// then see x, here it need not.
name "wait-ne+steps";
domain 4;
global x, y;

thread left {
  x.store(1, rel);
  wait(y != 0, acq);
}

thread right {
  local r;
  y.store(1, rel);
  y.store(2, rel);
  r = x.load(acq);
}
