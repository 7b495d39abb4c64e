//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra violation kind=data-race location=d states=1
//: rc20 violation kind=data-race location=d states=3
//: cpp20 violation kind=data-race location=d states=3
// A non-atomic read next to a non-atomic write, with nothing in between: the smallest data race.
name "na-rw";
domain 2;
nonatomic d;

thread writer { d = 1; }

thread reader {
  local r;
  r = d;
}
