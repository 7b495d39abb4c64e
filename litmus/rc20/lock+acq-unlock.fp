//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=13
//: rc20 violation kind=data-race location=data states=9
//: cpp20 violation kind=data-race location=data states=9
// A lock given back by a fetch-and-subtract with acquire order, a slip that reads well: what is
// needed is release.
name "lock+acq-unlock";
domain 2;
global lock;
nonatomic data;

thread left {
  lock.bcas(0, 1, acq);
  data = 1;
  lock.fsub(1, acq);
}

thread right {
  local r;
  lock.bcas(0, 1, acq);
  r = data;
  lock.fsub(1, acq);
}
