//: tso robust states=0
//: pso violation shape=MP states=19
//: pgas violation shape=MP states=19
//: ra robust states=13
//: rc20 violation shape=MP states=10
//: cpp20 violation shape=MP states=10
//: rc20 observational robust
//: cpp20 observational robust
// Message passing with relaxed accesses throughout (Margalit and Lahav 2021, example 4.2, without
// its loop). Seeing the flag says nothing about the data: compilers and processors may swap the two
// stores, or the two loads. Under release/acquire it would be robust.
// observationally robust (POPL 2021, example 4.10): nothing uses the stale value
name "mp+rlx";
domain 2;
global data, flag;

thread producer {
  data.store(1, rlx);
  flag.store(1, rlx);
}

thread consumer {
  local r, s;
  r = flag.load(rlx);
  s = data.load(rlx);
}
