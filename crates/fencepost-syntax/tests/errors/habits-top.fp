#include <atomic>
#define N 2
using namespace std;
int x = 0;
std::atomic<int> y{0};
atomic_int z;
_Atomic int w;
static COUNTER: AtomicUsize = AtomicUsize::new(0);
let flag = 0;
std::mutex m;
pthread_mutex_t lock;
typedef struct node node_t;
enum state { idle, busy };
class Queue { int head; };
int main() { return 0; }
void *producer(void *arg) { x = 1; return 0; }
fn consumer() { let r = x.load(Ordering::Acquire); }
P0 (atomic_int* x) { }
thread ok { skip; }
exists (0:r0 = 0)
