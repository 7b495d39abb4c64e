//: tso robust states=0
//: pso robust states=0
//: pgas violation shape=2+2W states=57
//: ra violation shape=2+2W states=10
//: rc20 violation shape=2+2W states=10
//: cpp20 violation shape=2+2W states=10
// As 2+2w+lwfences.fp, with each fence on the location of the store behind it: no use under PGAS.
name "2+2w+lwfences-crossed";
domain 3;
global x, y;

thread left {
  x.store(1, rlx);
  lwfence(y);
  y.store(2, rlx);
}

thread right {
  y.store(1, rlx);
  lwfence(x);
  x.store(2, rlx);
}
