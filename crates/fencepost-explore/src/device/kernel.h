// Breadth-first search of one program by layers: what all programs have in common. What is
// particular to one is put before and after this text, see translate.rs. The text is CUDA C++, and
// C++ for a processor.
//
// States are W words. The table is open addressing; an entry is free, or a state with the number of
// its layer plus one, its tag. The tag is in bits that a state has to spare (TAG_WORD), or else in a
// word of its own. Where an entry can be swapped whole (WHOLE), it is written by one
// compare-and-swap; otherwise the word with the tag locks it while the others are written. States
// are compared, not only their hashes.

#ifdef __CUDACC__
#define FN __device__ static inline
// Not copied to where it is called: copies of copies take the compiler minutes.
#define CALLED __device__ static __noinline__
#define KERNEL extern "C" __global__ void
#define FOR_EACH(i, n) \
    for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < (n); i += (u64)gridDim.x * blockDim.x)
FN u64 add(u64* at, u64 more) { return atomicAdd(at, more); }
FN u64 swap(u64* at, u64 expected, u64 value) { return atomicCAS(at, expected, value); }
FN void greatest(u64* at, u64 value) { atomicMax(at, value); }
FN void least(u64* at, u64 value) { atomicMin(at, value); }
FN u64 look(const u64* at) { return __ldcg(at); }
FN u64 look_again(u64* at) { return atomicAdd(at, 0ull); }
FN void publish() { __threadfence(); }
FN u64 high_product(u64 a, u64 b) { return __umul64hi(a, b); }
#else
#define FN static inline
#define CALLED static
#define KERNEL extern "C" void
#define FOR_EACH(i, n) for (u64 i = 0; i < (n); i++)
FN u64 add(u64* at, u64 more) { u64 old = *at; *at += more; return old; }
FN u64 swap(u64* at, u64 expected, u64 value) { u64 old = *at; if (old == expected) *at = value; return old; }
FN void greatest(u64* at, u64 value) { if (*at < value) *at = value; }
FN void least(u64* at, u64 value) { if (*at > value) *at = value; }
FN u64 look(const u64* at) { return *at; }
FN u64 look_again(u64* at) { return *at; }
FN void publish() {}
FN u64 high_product(u64 a, u64 b) { return (u64)(((unsigned __int128)a * b) >> 64); }
#endif

struct S { u64 w[W]; };

// Words are picked by comparison, so that states stay in registers.
FN u64 word(const S& s, u64 which) {
    u64 found = s.w[0];
    for (u32 i = 1; i < W; i++) found = which == i ? s.w[i] : found;
    return found;
}
FN u64 field(const S& s, const u64* place) { return word(s, place[0]) >> place[1] & place[2]; }
FN void put(S& s, const u64* place, u64 value) {
    u64 bits = place[2] << place[1];
    for (u32 i = 0; i < W; i++)
        if (place[0] == i) s.w[i] = (s.w[i] & ~bits) | (value << place[1] & bits);
}

// ---- The table.

FN u64 mix(u64 x) {
    x ^= x >> 32; x *= 0xd6e8feb86659fd93ull;
    x ^= x >> 32; x *= 0xd6e8feb86659fd93ull;
    return x ^ x >> 32;
}
FN u64 hash_of(const S& s) {
    u64 hash = 0x9e3779b97f4a7c15ull;
    for (u32 i = 0; i < W; i++) hash = mix(hash ^ s.w[i]) + 0x9e3779b97f4a7c15ull * (i + 1);
    return mix(hash);
}

#define FULL (~0ull)
#define MOST_PROBES 4096

#ifdef TAG_WORD
#define ENTRY W
#else
#define ENTRY (W + 1)
#define TAG_WORD W
#define TAG_SHIFT 31
#define TAG_MASK 0xffffffffull
#endif
#define TAG_BITS (TAG_MASK << TAG_SHIFT)
#define LOCKED (1ull << 63)
FN u64 tag_of(const u64* entry) { return entry[TAG_WORD] >> TAG_SHIFT & TAG_MASK; }
FN S state_of(const u64* entry) {
    S s;
    for (u32 i = 0; i < W; i++) s.w[i] = i == TAG_WORD ? entry[i] & ~(TAG_BITS | LOCKED) : entry[i];
    return s;
}

#ifdef WHOLE
// Swaps an entry that is free. What was there before, all at once.
FN S claim(u64* entry, const S& mine) {
    S old;
#if W == 1
    old.w[0] = swap(entry, 0, mine.w[0]);
#elif defined(__CUDACC__)
    typedef unsigned __int128 u128;
    u128 found = atomicCAS((u128*)entry, (u128)0, (u128)mine.w[1] << 64 | mine.w[0]);
    old.w[0] = (u64)found;
    old.w[1] = (u64)(found >> 64);
#else
    old.w[0] = entry[0];
    old.w[1] = entry[1];
    if (!(old.w[0] | old.w[1])) { entry[0] = mine.w[0]; entry[1] = mine.w[1]; }
#endif
    return old;
}
// Adds a state. Where it is; is it new?
FN u64 insert(u64* table, u64 capacity, const S& s, u64 tag, bool& is_new) {
    S mine = s;
    mine.w[TAG_WORD] |= tag << TAG_SHIFT;
    u64 at = high_product(hash_of(s), capacity);
    is_new = false;
    for (u32 probe = 0; probe < MOST_PROBES; probe++) {
        u64* entry = table + at * ENTRY;
        S there;
        bool whole = true;
        for (u32 i = 0; i < W; i++) {
            there.w[i] = look(entry + i);
            whole &= there.w[i] != 0;
        }
        // Words may be seen one by one. A word that is not 0 will not change any more; one that is
        // may have been looked at too early.
        if (!whole) {
            there = claim(entry, mine);
            u64 any = 0;
            for (u32 i = 0; i < W; i++) any |= there.w[i];
            if (!any) { is_new = true; return at; }
        }
        there.w[TAG_WORD] &= ~TAG_BITS;
        bool same = true;
        for (u32 i = 0; i < W; i++) same &= there.w[i] == s.w[i];
        if (same) return at;
        at = at + 1 == capacity ? 0 : at + 1;
    }
    return FULL;
}
#else
FN u64 insert(u64* table, u64 capacity, const S& s, u64 tag, bool& is_new) {
    u64 hash = hash_of(s), at = high_product(hash, capacity);
    // Besides the tag: the state's own bits, or some of its hash.
    u64 key = TAG_WORD < W ? s.w[TAG_WORD % W] : hash & ((1ull << TAG_SHIFT) - 1);
    u64 mine = key | tag << TAG_SHIFT;
    is_new = false;
    for (u32 probe = 0; probe < MOST_PROBES; probe++) {
        u64* entry = table + at * ENTRY;
        u64 there = look(entry + TAG_WORD);
        if (!there) {
            there = swap(entry + TAG_WORD, 0, LOCKED | mine);
            if (!there) {
                for (u32 i = 0; i < W; i++)
                    if (i != TAG_WORD) entry[i] = s.w[i];
                publish();
                swap(entry + TAG_WORD, LOCKED | mine, mine);
                is_new = true;
                return at;
            }
        }
        if (!((there ^ key) & ~(LOCKED | TAG_BITS))) {
            while (there & LOCKED) there = look_again(entry + TAG_WORD);
            publish();
            bool same = true;
            for (u32 i = 0; i < W; i++) same &= i == TAG_WORD || look(entry + i) == s.w[i];
            if (same) return at;
        }
        at = at + 1 == capacity ? 0 : at + 1;
    }
    return FULL;
}
#endif

// ---- Steps.

// Why a thread stops.
#define RUNS_ON 0
#define ASSERTION 1
#define DIVISION 2
#define INDEX 3
#define BOUND 4
#define TOO_MUCH 5

// What an access would be.
#define READ 0
#define WRITE 1
#define UPDATE 2
struct Label {
    u32 kind, loc;
    u64 old, written;
    // Thread, kind and order, as one number; does it acquire, is it plain?
    u32 how;
    bool acquires, plain;
};

// What an access is, from its code.
#define PLAIN 1
#define PRIVATE 2
#define MIXED 4
#define NO_ACCESS 8

// A stale write that an access could use.
struct Attempt { u32 how; bool accepted; };
#define NOT_HERE (~0u)

// What a kernel wants to know of the steps out of a state.
#define SEARCHES 0
#define FAILS 1
#define LEADS 2
struct Out {
    const u64* data;
    u32 purpose;
    // For a search: where states are kept, and the tag of new ones.
    u64 *table, capacity, *next, room, *counters, tag;
    // What is found.
    u64 transitions, failures, findings, bound;
    bool hit;
    S target;
};
#define DATA(i) (o.data[i])

// What a search counts.
#define NEXT 0
#define TRANSITIONS 1
#define FAILURES 2
#define FINDINGS 3
#define EARLIEST_BOUND 4
#define OVERFLOWED 5
#define GAVE_UP 6
#define BEYOND 7

// A watch: its fields.
#define GROUP 0
#define AT 1
#define BY 2
#define CLASS 3
#define LASTING 4
#define IS_MIXED 5
#define FIRST_WRITES 6
#define FIRST_PLAIN 7
#define WATCH_FIELDS 8
#define BY_READ 0
#define BY_WRITE 1
#define AFTER 2
#define ANY (~0ull)
#define WATCHED(k) (o.data + D_WATCHES + ((k) - 1) * WATCH_FIELDS)

FN u64 pc_of(const Out& o, const S& s, u32 t) { return field(s, o.data + D_PCS + 4 * t); }
FN u64 length_of(const Out& o, u32 t) { return DATA(D_PCS + 4 * t + 3); }
// How many values are in a table, and that; then how many intervals, where they start, their classes.
FN u64 class_of(const Out& o, u32 loc, u64 value) {
    const u64* c = o.data + DATA(D_CLASSES + loc);
    if (value < c[0]) return c[1 + value];
    const u64* starts = c + 1 + c[0] + 1;
    u64 low = 0, high = starts[-1];
    while (high - low > 1) {
        u64 middle = (low + high) / 2;
        if (starts[middle] <= value) low = middle; else high = middle;
    }
    return starts[starts[-1] + low];
}

// A change of the monitor's bits; 0 is none.
FN void change(const Out& o, S& s, u64 effect) {
    if (!effect) return;
    const u64* e = o.data + effect;
    S old = s;
    for (u32 i = 0; i < W; i++) s.w[i] = (s.w[i] & e[i]) | e[W + i];
    u64 parts = e[2 * W];
    e += 2 * W + 1;
    for (u64 part = 0; part < parts; part++, e += 1 + 2 * W) {
        bool all = true, some = false;
        for (u32 i = 0; i < W; i++) {
            u64 set = old.w[i] & e[1 + i];
            all &= set == e[1 + i];
            some |= set != 0;
        }
        if (e[0] ? all : some)
            for (u32 i = 0; i < W; i++) s.w[i] |= e[1 + W + i];
    }
}
// Are all these bits set? 0 stands for a question that is never answered by yes.
FN bool holds(const Out& o, const S& s, u64 question) {
    if (!question) return false;
    const u64* mask = o.data + question;
    bool all = true;
    for (u32 i = 0; i < W; i++) all &= (s.w[i] & mask[i]) == mask[i];
    return all;
}

CALLED u32 labels(const Out& o, const S& s, u32 t, u64 pc, Label* l, u32& count, u32& access);
CALLED u32 attempts(const Out& o, const S& s, u32 t, u64 pc, const u64* watch, Attempt* found);
// Lets a thread run from there to where it rests. Why it stops, and where.
CALLED u32 run(const Out& o, S& s, u32 t, u64 pc, u64& at);
// Performs a label.
CALLED void perform(const Out& o, S& s, u32 t, u64 pc, const Label& l);
// Takes the nth alternative of a thread that does not rest at an access, if there is one. Where the
// thread goes on; ALL if there are not so many, or why it stops.
CALLED u64 choose(const Out& o, S& s, u32 t, u64 pc, u64 n, u32& bad);
#define ALL (~0ull)

#if WATCHES > 0
FN bool starts(const u64* watch, const Label& l, u64 current) {
    if (watch[BY] == AFTER) return watch[FIRST_WRITES] == (l.kind != READ) && watch[FIRST_PLAIN] == l.plain;
    bool overwrites = watch[BY] == BY_READ ? l.kind != READ : l.kind == WRITE;
    return overwrites && (watch[CLASS] == ANY || watch[CLASS] == current);
}
// Tells the monitor of watch k.
FN void follow(const Out& o, S& s, u64 k, u32 t, u32 access, const Label& l) {
    const u64* watch = WATCHED(k);
    u64 group = watch[GROUP];
    bool here = watch[AT] == l.loc;
    if (access & PLAIN) {
        if (here) change(o, s, DATA(D_PLAIN + (group * T + t) * 2 + (l.kind != READ)));
        return;
    }
    bool same = here && (watch[CLASS] == ANY || watch[CLASS] == class_of(o, l.loc, l.old));
    change(o, s, DATA(D_STEPS + ((group * HOWS + l.how) * LOCATIONS + l.loc) * 2 + same));
}

// May some thread still use the watched write?
FN bool has_hope(const Out& o, const S& s, u64 k) {
    const u64* watch = WATCHED(k);
    u64 group = watch[GROUP];
    bool fenced = FENCED && !holds(o, s, DATA(D_UNFENCED + group));
    u32 shift = fenced ? 3 : 0;
    bool uses = false, leaks = watch[BY] == AFTER;
    for (u32 t = 0; t < T; t++) {
        u64 pc = pc_of(o, s, t);
        if (pc >= length_of(o, t) || !holds(o, s, DATA(D_REACH + group * T + t))) continue;
        u64 ahead = DATA(D_AHEAD + (k - 1) * INSTRUCTIONS + DATA(D_FIRSTS + t) + pc);
        leaks |= ahead >> (1 + shift) & 1;
        if (uses || !(ahead >> shift & 1)) continue;
        // Bit 6: can this access be one to the watched location? Bit 7: does it use what is watched?
        if (!(ahead >> 6 & 1)) { uses = true; continue; }
        Attempt found[2];
        u32 count = attempts(o, s, t, pc, watch, found);
        if (count == NOT_HERE || (watch[BY] == AFTER && !(ahead >> 7 & 1))) uses |= ahead >> (2 + shift) & 1;
        else if (watch[BY] == AFTER) uses = true;
        else for (u32 i = 0; i < count; i++) uses |= found[i].accepted;
    }
    if (!uses) return false;
    const u64* list = o.data + DATA(D_LEAKS + group);
    for (u64 i = 0; !leaks && i < list[0]; i++) leaks = holds(o, s, list[1 + i]);
    return leaks;
}
#endif

CALLED bool races_of_enabled(const Out& o, const S& s) {
    u32 locs[T];
    bool there[T], writes[T];
    for (u32 t = 0; t < T; t++) {
        Label l[2];
        u32 count = 0, access = 0;
        u64 pc = pc_of(o, s, t);
        there[t] = false;
        if (pc >= length_of(o, t)) continue;
        u32 bad = labels(o, s, t, pc, l, count, access);
        if (bad || !(access & PLAIN) || access & PRIVATE || !count) continue;
        there[t] = true; locs[t] = l[0].loc; writes[t] = l[0].kind != READ;
        for (u32 u = 0; u < t; u++)
            if (there[u] && locs[u] == locs[t] && (writes[u] || writes[t])) return true;
    }
    return false;
}

// Can SC be left from here, or is there a race?
CALLED bool inspect(const Out& o, const S& s) {
#if WATCHES > 0
    u64 k = WATCH(s);
    if (!k) return MONITORED_RACES ? false : races_of_enabled(o, s);
    const u64* watch = WATCHED(k);
    u64 group = watch[GROUP];
    for (u32 t = 0; t < T; t++) {
        u64 pc = pc_of(o, s, t);
        if (pc >= length_of(o, t)) continue;
        if (watch[BY] != AFTER) {
            Attempt found[2];
            u32 count = attempts(o, s, t, pc, watch, found);
            if (count == NOT_HERE) continue;
            for (u32 i = 0; i < count; i++)
                if (found[i].accepted && holds(o, s, DATA(D_VIOLATED + group * HOWS + found[i].how))) return true;
            continue;
        }
        Label l[2];
        u32 count = 0, access = 0;
        u32 bad = labels(o, s, t, pc, l, count, access);
        if (bad || access & PRIVATE || !(access & (PLAIN | MIXED))) continue;
        for (u32 i = 0; i < count; i++) {
            bool conflicts = l[i].loc == watch[AT] && (watch[FIRST_WRITES] || l[i].kind != READ);
            if (!conflicts || (!watch[FIRST_PLAIN] && !l[i].plain)) continue;
            u64 question = l[i].plain ? D_RACES + (group * T + t) * 2 + (l[i].kind != READ)
                                      : D_UNORDERED + (group * T + t) * 2 + (l[i].kind != WRITE && l[i].acquires);
            if (holds(o, s, DATA(question))) return true;
        }
    }
    return false;
#else
    return MONITORED_RACES ? false : races_of_enabled(o, s);
#endif
}

// Sorts the local states of equal threads.
FN void canonical(const Out& o, S& s) {
    const u64* list = o.data + DATA(D_SYMMETRY + WATCH(s));
    u64 groups = *list++;
    for (u64 group = 0; group < groups; group++) {
        u64 members = list[0], fields = list[1];
        list += 2;
        for (u64 end = 1; end < members; end++) {
            for (u64 at = end; at > 0; at--) {
                const u64 *mine = list + at * fields * 3, *theirs = mine - fields * 3;
                bool less = false;
                for (u64 f = 0; f < fields; f++) {
                    u64 a = field(s, mine + 3 * f), b = field(s, theirs + 3 * f);
                    if (a != b) { less = a < b; break; }
                }
                if (!less) break;
                for (u64 f = 0; f < fields; f++) {
                    u64 a = field(s, mine + 3 * f), b = field(s, theirs + 3 * f);
                    put(s, mine + 3 * f, b);
                    put(s, theirs + 3 * f, a);
                }
            }
        }
        list += members * fields * 3;
    }
}

// Queues hold places, and above them what decides which code runs for a state: where its threads
// are, and what kind of watch it has.
#define PLACE(queued) ((queued) & 0xffffffffffffull)
#define KEY(queued) ((queued) >> 48)
FN u64 queued(const Out& o, const S& s, u64 place) {
    u64 key = 0;
#if WATCHES > 0
    u64 k = WATCH(s);
    key = k ? 1 + WATCHED(k)[GROUP] : 0;
#endif
    for (u32 t = 0; t < T; t++) key = key * 61 + pc_of(o, s, t);
    return place | mix(key) << 48;
}

FN bool is_asked(u32 stop) { return stop >= ASSERTION && stop <= INDEX && (!ASSERTIONS_ONLY || stop == ASSERTION); }

// A step has come to its end.
CALLED void finish(Out& o, S& s, u32 stop, u32 t, u64 at) {
#if WATCHES > 0 && HOPE
    u64 k = WATCH(s);
    const u64* rows = o.data + DATA(D_ROWS + k);
    for (u32 other = 0; other < T; other++)
        if (pc_of(o, s, other) >= length_of(o, other))
            for (u32 i = 0; i < W; i++) s.w[i] &= ~rows[other * W + i];
    if (k && !has_hope(o, s, k)) return;
#endif
    o.transitions++;
    if (o.purpose == FAILS) { o.hit |= is_asked(stop); return; }
    canonical(o, s);
    if (o.purpose == LEADS) {
        bool same = true;
        for (u32 i = 0; i < W; i++) same &= s.w[i] == o.target.w[i];
        o.hit |= same;
        return;
    }
    if (is_asked(stop)) o.failures++;
    if (stop == BOUND) { u64 site = (u64)t << 32 | at; o.bound = site < o.bound ? site : o.bound; }
    if (stop == TOO_MUCH) add(o.counters + GAVE_UP, 1);
    bool is_new;
    u64 place = insert(o.table, o.capacity, s, o.tag, is_new);
    if (place == FULL) { add(o.counters + OVERFLOWED, 1); return; }
    if (!is_new) return;
    u64 number = add(o.counters + NEXT, 1);
    if (number < o.room) o.next[number] = queued(o, s, place);
    if (LEAVES_SC && inspect(o, s)) o.findings++;
}

// A thread takes no more steps: its registers are 0.
FN void stop(const Out& o, S& s, u32 t) {
    for (u32 i = 0; i < W; i++) s.w[i] &= ~DATA(D_REGISTERS + t * W + i);
    put(s, o.data + D_PCS + 4 * t, length_of(o, t));
}

// Performs a label, and lets the thread run on.
FN void complete(Out& o, S& s, u32 t, u64 pc, const Label& l) {
    perform(o, s, t, pc, l);
    u64 at = pc;
    u32 stopped = run(o, s, t, pc + 1, at);
    finish(o, s, stopped, t, at);
}

// All that an access may mean to the monitor.
FN void meanings(Out& o, const S& s, u32 t, u64 pc, u32 access, const Label& l) {
    S x = s;
#if WATCHES > 0
    u64 k = WATCH(s);
    if (!(access & PRIVATE) && k) {
        const u64* watch = WATCHED(k);
        bool tells = true;
        if (watch[AT] == l.loc) {
            if (watch[BY] == AFTER) {
                if (!watch[IS_MIXED]) {
                    if (l.kind != READ) return;
                    tells = false;
                }
            } else if (l.kind != READ) {
                if (!watch[LASTING] || starts(watch, l, class_of(o, l.loc, l.old))) return;
            }
        }
        if (tells) follow(o, x, k, t, access, l);
    }
#endif
    complete(o, x, t, pc, l);
#if WATCHES > 0
    if (k || access & PRIVATE) return;
    u64 current = l.kind != READ && !(access & PLAIN) ? class_of(o, l.loc, l.old) : ANY;
    for (u64 i = DATA(D_OF + l.loc); i < DATA(D_OF + l.loc + 1); i++) {
        u64 begun = DATA(D_LIST + i);
        const u64* watch = WATCHED(begun);
        if (!starts(watch, l, current)) continue;
        x = s;
        SET_WATCH(x, begun);
        change(o, x, DATA(D_START + watch[GROUP]));
        if (watch[BY] == AFTER && access & MIXED)
            change(o, x, DATA(D_PLAIN + (watch[GROUP] * T + t) * 2 + (l.kind != READ)));
        follow(o, x, begun, t, access, l);
        complete(o, x, t, pc, l);
    }
#endif
}

#if SECTIONS
#define MOST_WAYS 16
#define MOST_PASSED 64
#define MOST_TOLD 4
#define STRAIGHT 256
// One way through a section.
struct Way { S s; u32 stopped; u64 at; };
// Does the nth thing that a thread can do in a section; false if there are not so many.
FN bool move(const Out& o, Way& way, u32 t, u64 pc, u64 n) {
    Label l[2];
    u32 count = 0, access = NO_ACCESS;
    u32 bad = labels(o, way.s, t, pc, l, count, access);
    u64 next = pc + 1;
    if (access == NO_ACCESS) next = choose(o, way.s, t, pc, n, bad);
    else if (!bad && n >= count) next = ALL;
    if (bad) { way.stopped = bad; way.at = pc; return n == 0; }
    if (next == ALL) return false;
    if (access != NO_ACCESS) perform(o, way.s, t, pc, l[n]);
    way.stopped = run(o, way.s, t, next, way.at);
    return true;
}
// The steps of a thread that rests at the beginning of a section: as in product/section.rs, up to
// what a device has room for.
CALLED void section(Out& o, const S& s, u32 t, u64 pc) {
    Way open[MOST_WAYS], way;
    S passed[MOST_PASSED];
    u64 told[MOST_TOLD];
    u32 waiting = 0, known = 0, tellings = 0, taken = 0;
    bool branched = false, beyond = false;
    way.s = s;
    way.at = pc;
    way.stopped = run(o, way.s, t, pc + 1, way.at);
    for (;;) {
        bool over = false;
        while (!over && !beyond && !way.stopped) {
            if (++taken > STRAIGHT) { beyond = true; break; }
            if (branched) {
                for (u32 i = 0; i < known && !over; i++) {
                    bool same = true;
                    for (u32 j = 0; j < W; j++) same &= passed[i].w[j] == way.s.w[j];
                    over = same;
                }
                if (over) break;
                if (known == MOST_PASSED) { beyond = true; break; }
                passed[known++] = way.s;
            }
            u64 here = pc_of(o, way.s, t);
            if (here >= length_of(o, t)) break;
            if (DATA(D_LEAVES + DATA(D_FIRSTS + t) + here)) {
                S x = way.s;
                u64 at = here;
                u32 stopped = run(o, x, t, here + 1, at);
                finish(o, x, stopped, t, at);
                break;
            }
            Way first = way;
            over = !move(o, first, t, here, 0);
            bool fails = first.stopped && first.at == here && pc_of(o, first.s, t) == here;
            for (u64 n = 1; !over && !fails && !beyond; n++) {
                Way fork = way;
                if (!move(o, fork, t, here, n)) break;
                branched = true;
                if (waiting == MOST_WAYS) beyond = true;
                else open[waiting++] = fork;
            }
            way = first;
        }
        if (beyond) { add(o.counters + BEYOND, 1); return; }
        if (way.stopped) {
            u64 what = way.at << 8 | way.stopped;
            bool again = false;
            for (u32 i = 0; i < tellings; i++) again |= told[i] == what;
            // Of indices out of range it matters which.
            if (tellings == MOST_TOLD || (again && way.stopped == INDEX)) { add(o.counters + BEYOND, 1); return; }
            if (!again) {
                told[tellings++] = what;
                S x = s;
                stop(o, x, t);
                finish(o, x, way.stopped, t, way.at);
            }
        }
        if (!waiting) return;
        way = open[--waiting];
    }
}
#endif

// All steps of a thread.
CALLED void steps(Out& o, const S& s, u32 t) {
    u64 pc = pc_of(o, s, t);
    if (pc >= length_of(o, t)) return;
#if SECTIONS
    if (DATA(D_ENTERS + DATA(D_FIRSTS + t) + pc)) { section(o, s, t, pc); return; }
#endif
    Label l[2];
    u32 count = 0, access = NO_ACCESS;
    u32 bad = labels(o, s, t, pc, l, count, access);
    for (u64 n = 0; access == NO_ACCESS; n++) {
        S x = s;
        u64 next = choose(o, x, t, pc, n, bad), at = pc;
        if (bad) {
            if (bad != TOO_MUCH) stop(o, x, t);
            finish(o, x, bad, t, pc);
            return;
        }
        if (next == ALL) return;
        u32 stopped = run(o, x, t, next, at);
        finish(o, x, stopped, t, at);
    }
    if (bad) {
        S x = s;
        stop(o, x, t);
        finish(o, x, bad, t, pc);
    }
    for (u32 i = 0; i < count; i++) meanings(o, s, t, pc, access, l[i]);
}

// ---- Arithmetic, as in fencepost_ir.

FN i64 quotient(i64 a, i64 b, bool& zero) {
    if (b == 0) { zero = true; return 0; }
    return b == -1 ? (i64)(0 - (u64)a) : a / b;
}
FN i64 rest_of(i64 a, i64 b, bool& zero) {
    if (b == 0) { zero = true; return 0; }
    return b == -1 ? 0 : a % b;
}
FN i64 shifted_left(i64 a, i64 b) { return b >= 0 && b < 64 ? (i64)((u64)a << b) : 0; }
FN i64 shifted_right(i64 a, i64 b) { return b >= 0 && b < 64 ? a >> b : a < 0 ? -1 : 0; }
FN i64 reduced(i64 a, i64 domain) {
    if (a >= 0 && a < domain) return a;
    i64 rest = a % domain;
    return rest < 0 ? rest + domain : rest;
}

// ---- Kernels: a count, and as many words as the host's interface says.

#define ARGUMENTS u64 n, u64 a0, u64 a1, u64 a2, u64 a3, u64 a4, u64 a5, u64 a6, u64 a7, u64 a8, u64 a9, u64 a10, u64 a11
#define MEMORY(a) ((u64*)(a))

// Takes the steps of a layer: a number is a thread and a state.
KERNEL expand(ARGUMENTS) {
    u64 *table = MEMORY(a0), capacity = a1, *frontier = MEMORY(a2), first = a3, states = a4;
    Out o = {};
    o.data = MEMORY(a9);
    o.purpose = SEARCHES;
    o.table = table; o.capacity = capacity; o.next = MEMORY(a5); o.room = a6; o.counters = MEMORY(a7);
    o.tag = (u32)a8;
    o.bound = FULL;
    FOR_EACH(i, n) {
        u64 number = i + first;
        S s = state_of(table + PLACE(frontier[number % states]) * ENTRY);
        steps(o, s, (u32)(number / states));
    }
    if (o.transitions) add(o.counters + TRANSITIONS, o.transitions);
    if (o.failures) add(o.counters + FAILURES, o.failures);
    if (o.findings) add(o.counters + FINDINGS, o.findings);
    if (o.bound != FULL) least(o.counters + EARLIEST_BOUND, o.bound);
}

// Where the states of a layer are.
KERNEL collect(ARGUMENTS) {
    u64 *table = MEMORY(a0), tag = a1, *queue = MEMORY(a2), room = a3, *counter = MEMORY(a4);
    Out o = {};
    o.data = MEMORY(a5);
    FOR_EACH(i, n) {
        if (tag_of(table + i * ENTRY) != tag) continue;
        u64 number = add(counter, 1);
        if (number < room) queue[number] = queued(o, state_of(table + i * ENTRY), i);
    }
}

// Puts those with the same key together, in three steps: how many have each key, where they begin,
// and there they go.
KERNEL count_keys(ARGUMENTS) {
    u64 *queue = MEMORY(a0), *keys = MEMORY(a1);
    FOR_EACH(i, n) add(keys + KEY(queue[i]), 1);
}
KERNEL place_keys(ARGUMENTS) {
    u64 *keys = MEMORY(a0), *placed = MEMORY(a1);
    FOR_EACH(i, n) if (keys[i]) keys[i] = add(placed, keys[i]);
}
KERNEL scatter(ARGUMENTS) {
    u64 *queue = MEMORY(a0), *keys = MEMORY(a1), *sorted = MEMORY(a2);
    FOR_EACH(i, n) sorted[add(keys + KEY(queue[i]), 1)] = queue[i];
}

// Adds all entries to a greater table.
KERNEL rehash(ARGUMENTS) {
    u64 *from = MEMORY(a0), *to = MEMORY(a1), capacity = a2, *failed = MEMORY(a3);
    FOR_EACH(i, n) {
        u64 tag = tag_of(from + i * ENTRY);
        bool is_new;
        if (tag && insert(to, capacity, state_of(from + i * ENTRY), tag, is_new) == FULL) add(failed, 1);
    }
}

// Adds the first state.
KERNEL begin(ARGUMENTS) {
    u64 *table = MEMORY(a0), capacity = a1, *state = MEMORY(a2), *queue = MEMORY(a3);
    FOR_EACH(i, n) {
        S s;
        for (u32 word = 0; word < W; word++) s.w[word] = state[word];
        bool is_new;
        queue[i] = insert(table, capacity, s, 1, is_new);
    }
}

// The states of a layer with a step to a state.
KERNEL leads(ARGUMENTS) {
    u64 *table = MEMORY(a0), tag = a1, *target = MEMORY(a3), *queue = MEMORY(a4), room = a5, *counter = MEMORY(a6);
    FOR_EACH(i, n) {
        if (tag_of(table + i * ENTRY) != tag) continue;
        Out o = {};
        o.data = MEMORY(a2);
        o.purpose = LEADS;
        for (u32 word = 0; word < W; word++) o.target.w[word] = target[word];
        S s = state_of(table + i * ENTRY);
        for (u32 t = 0; t < T; t++) steps(o, s, t);
        if (!o.hit) continue;
        u64 number = add(counter, 1);
        if (number < room) queue[number] = i;
    }
}

FN bool is_one(const u64* data, const S& s, u64 fails) {
    Out o = {};
    o.data = data;
    o.purpose = FAILS;
    if (!fails) return inspect(o, s);
    for (u32 t = 0; t < T; t++) steps(o, s, t);
    return o.hit;
}

// Of the states from which SC can be left, or with a step on which something goes wrong, those that
// begin with these words: the greatest next word.
KERNEL greatest_of(ARGUMENTS) {
    u64 *table = MEMORY(a0), *queue = MEMORY(a1), *words = MEMORY(a3), known = a4, fails = a5;
    FOR_EACH(i, n) {
        S s = state_of(table + PLACE(queue[i]) * ENTRY);
        bool begins = true;
        for (u32 word = 0; word < W; word++) begins &= word >= known || s.w[word] == words[word];
        if (begins && is_one(MEMORY(a2), s, fails)) greatest(words + known, word(s, known));
    }
}

// How many states there are from which SC can be left.
KERNEL count_findings(ARGUMENTS) {
    u64 *table = MEMORY(a0), *queue = MEMORY(a1), *counter = MEMORY(a3);
    FOR_EACH(i, n) {
        if (is_one(MEMORY(a2), state_of(table + PLACE(queue[i]) * ENTRY), 0)) add(counter, 1);
    }
}

// The states themselves.
KERNEL gather(ARGUMENTS) {
    u64 *table = MEMORY(a0), *queue = MEMORY(a1), *states = MEMORY(a2);
    FOR_EACH(i, n) {
        S s = state_of(table + PLACE(queue[i]) * ENTRY);
        for (u32 word = 0; word < W; word++) states[i * W + word] = s.w[word];
    }
}
