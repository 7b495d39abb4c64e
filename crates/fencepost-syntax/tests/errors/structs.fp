struct Node { int value; struct Node *next; };
struct a[2] { global x; nonatomic y = 1 }
struct b { x; y; }
struct c { global load; global ok; }
struct { global x; }
struct d[ { global x; }
struct e { global x; } pool[4];
struct f { global x
thread t {
  local r;
  struct = 1;
  a[0].x.load.load();
  r = a[0].x.laod();
  r = a[0].x.load;
  a[0].x + 1;
}
