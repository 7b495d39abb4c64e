//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=13
//: rc20 robust states=13
//: cpp20 robust states=13
// As mp+fences with fences that do both, which is more than either side needs.
name "mp+fences+acqrel";
domain 2;
global data, flag;

thread producer {
  data.store(1, rlx);
  fence(acqrel);
  flag.store(1, rlx);
}

thread consumer {
  local r, s;
  r = flag.load(rlx);
  fence(acqrel);
  s = data.load(rlx);
}
