thraed t { skip; }
globl x;
domain;
const = 3;
global while, 4;
nonatomic d[2 = {1, };
42;
thread ok { skip; }
