//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=6
//: rc20 violation kind=data-race location=d states=5
//: cpp20 violation kind=data-race location=d states=5
// Message passing where the receiver first reads the data and then writes it. Neither the sender's read nor the
// receiver's races with the other; the receiver's write comes after the sender's read in every run, but nothing in
// the model orders the two. Under release/acquire all is well.
name "mp+na+rlx-increment";
domain 2;
global y;
nonatomic d;

thread sender {
  local r;
  r = d;
  y.store(1, rlx);
}

thread receiver {
  local r;
  wait(y == 1, rlx);
  r = d;
  d = r + 1;
}
