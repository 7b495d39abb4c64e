//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=8
//: rc20 robust states=8
//: cpp20 robust states=8
// Message passing with a release fence, which is a light fence for all locations where stores can overtake stores.
name "mp+fence-rel";
domain 2;
global data, flag;

thread send {
  data.store(1, rlx);
  fence(rel);
  flag.store(1, rlx);
}

thread receive {
  local r;
  r = flag.load(rlx);
  if (r == 1) {
    fence(acq);
    r = data.load(rlx);
  }
}
