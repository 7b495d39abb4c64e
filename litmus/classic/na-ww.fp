//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra violation kind=data-race states=1
//: rc20 violation kind=data-race states=3
//: cpp20 violation kind=data-race states=3
// Two non-atomic writes at the same time race even if they write the same value.
name "na-ww";
domain 2;
nonatomic d;

thread p[2] { d = 1; }
