//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=3
//: rc20 robust states=3
//: cpp20 robust states=3
// One thread that stores and loads (Margalit and Lahav 2021, example 2.5): a thread sees its own
// stores.
name "store-load";
domain 8;
global x;

thread only {
  local a;
  x.store(1, rel);
  a = x.load(acq);
  assert(a == 1);
}
