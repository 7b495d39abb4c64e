global int data = 0;
global bool ready = false, std::atomic<int> third;
nonatomic unsigned long *fourth;
global fifth: AtomicU32 = 0;
global shared, let;
const int SIZE = 2;
proc lock(int i, other) { }
thread writer() { local int r = 1, s; data.store(r); }
thread reader(int id, void *arg) { local auto; auto = 1; }
thread open( { skip; }
thread ok { skip; printf("%d", 1); }
