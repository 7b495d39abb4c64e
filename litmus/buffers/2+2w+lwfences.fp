//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra violation shape=2+2W states=10
//: rc20 violation shape=2+2W states=10
//: cpp20 violation shape=2+2W states=10
// Two threads write two locations in opposite orders; light fences keep the second stores behind the first ones.
name "2+2w+lwfences";
domain 3;
global x, y;

thread left {
  x.store(1, rlx);
  lwfence(x);
  y.store(2, rlx);
}

thread right {
  y.store(1, rlx);
  lwfence(y);
  x.store(2, rlx);
}
