domain 0;
domain 4;
const HUGE = 1 / 0;
global a[0], b[70000], c[2] = {1, 2, 3}, e = {1};
thread t[0] { skip; }
thread u[70000] { skip; }
