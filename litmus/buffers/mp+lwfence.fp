//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=8
//: rc20 violation shape=MP states=7
//: cpp20 violation shape=MP states=7
// Message passing with a light fence between data and flag: it keeps the flag behind the data where buffers do not.
name "mp+lwfence";
domain 2;
global data, flag;

thread send {
  data.store(1, rlx);
  lwfence(data);
  flag.store(1, rlx);
}

thread receive {
  local r;
  r = flag.load(rlx);
  if (r == 1) {
    r = data.load(rlx);
  }
}
