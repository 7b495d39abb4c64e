//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=13
//: rc20 violation shape=MP states=10
//: cpp20 violation shape=MP states=10
// Message passing with the release fence only: the reader's two loads are not ordered.
name "mp+fence+rlx";
domain 2;
global data, flag;

thread producer {
  data.store(1, rlx);
  fence(rel);
  flag.store(1, rlx);
}

thread consumer {
  local r, s;
  r = flag.load(rlx);
  s = data.load(rlx);
}
