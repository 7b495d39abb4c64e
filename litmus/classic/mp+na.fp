//: tso robust states=0
//: pso violation shape=MP states=19
//: pgas violation shape=MP states=19
//: ra violation kind=data-race states=3
//: rc20 violation kind=data-race states=6
//: cpp20 violation kind=data-race states=6
// Message passing with non-atomic data that is read whether or not the flag was seen: a data race,
// hence undefined behaviour in C and C++.
name "mp+na";
domain 2;
global flag;
nonatomic data;

thread producer {
  data = 1;
  flag.store(1, rel);
}

thread consumer {
  local f, d;
  f = flag.load(acq);
  d = data;
}
