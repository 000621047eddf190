/*
 * The peer model idem-producer: one idempotent producer, one connection, one leader that remembers
 * the last W batches.  Compile-time parameters, as -D options of `spin -a`:
 *
 *   N batches to send          1..15        L connection resets   0..15
 *   F requests outstanding     1..7         E epoch bumps         0..3
 *   W batches remembered       >= 1         C leader changes      0..7
 *   R sends of one batch       1..7         (N*bits(R) and F*bits(N-1) must fit an int)
 *
 * Every action is one d_step of the only process, so that SPIN stores exactly the states of the
 * definition and nothing between them.  There are no scratch variables: `hidden` ones are not allowed
 * breadth first, others would be stored with each state.
 *
 * A state without a successor is no error: run with -E.  To see the whole space of a model that
 * violates a property, run with -c0.
 */

#ifndef C
#error "give all of N F W R L E C, e.g. spin -DN=8 -DF=5 -DW=5 -DR=4 -DL=3 -DE=1 -DC=1 -a"
#endif
#if N < 1 || N > 15 || F < 1 || F > 7 || W < 1 || R < 1 || R > 7
#define OUTSIDE
#endif
#if L < 0 || L > 15 || E < 0 || E > 3 || C < 0 || C > 7
#define OUTSIDE
#endif
#ifdef OUTSIDE
#error "a parameter is outside its range: N 1..15, F 1..7, W 1.., R 1..7, L 0..15, E 0..3, C 0..7"
#endif

#if N <= 8
#define ID_BITS 3
#else
#define ID_BITS 4
#endif
#if R <= 3
#define SENDS_BITS 2
#else
#define SENDS_BITS 3
#endif
#if E <= 1
#define EPOCH_BITS 1
#define EPOCHS_BITS 7           /* F of them; SPIN wants a literal here */
#else
#define EPOCH_BITS 2
#define EPOCHS_BITS 14
#endif
#if N * SENDS_BITS > 31 || F * ID_BITS > 31
#error "packed words are too short: need N*bits(R) <= 31 and F*bits(N-1) <= 31"
#endif

/*
 * The eleven variables, packed: what SPIN hashes, compares and copies is its speed and its memory.
 *
 *   st         acked and inflt, one bit per batch; neither means PENDING
 *   sends      SENDS_BITS per batch
 *   req, resp  one ring: requests are answered in the order sent, hence resp followed by req is the
 *              order sent.  Entry i (the oldest is 0) is in ids, epochs and seqs; the first `answered`
 *              entries are resp, the others up to `outstanding` are req.  In seqs a request has its
 *              sequence number, an answer its ok.  Entries from `outstanding` on are 0, so each
 *              (req, resp) has exactly one form.
 *   log        two ids per byte and a length
 *   epoch, base, bepoch, nexp, losses, lchanges   as they are
 */
unsigned acked       : N;
unsigned inflt       : N;
unsigned losses      : 4;
unsigned lchanges    : 3;
unsigned answered    : 3;
unsigned outstanding : 3;
unsigned epoch       : EPOCH_BITS;
unsigned base        : 4;
unsigned bepoch      : EPOCH_BITS;
unsigned nexp        : 4;
unsigned log_length  : 6;
unsigned epochs      : EPOCHS_BITS;
int ids;
int seqs;
int sends;
byte log[(N * (E + 1) + 1) / 2];

#define MASK(bits)      ((1 << (bits)) - 1)
#define ID_MASK         MASK(ID_BITS)
#define EPOCH_MASK      MASK(EPOCH_BITS)
#define AT(word, i, bits)  ((word >> ((i) * bits)) & MASK(bits))

/* The smallest PENDING batch, as a bit and as a number. */
#define TAKEN           (acked | inflt)
#define NEXT_BIT        (~TAKEN & (TAKEN + 1))
#define TO_8(b)         ((b > 1) + (b > 2) + (b > 4) + (b > 8) + (b > 16) + (b > 32) + (b > 64))
#if N <= 8
#define NUMBER(b)       TO_8(b)
#else
#define TO_15(b)        ((b > 128) + (b > 256) + (b > 512) + (b > 1024) + (b > 2048) + (b > 4096) + (b > 8192))
#define NUMBER(b)       (TO_8(b) + TO_15(b))
#endif
#define NEXT            NUMBER(NEXT_BIT)

/* The head of req, and the head of resp. */
#define REQ_ID          AT(ids, answered, ID_BITS)
#define REQ_SEQ         AT(seqs, answered, ID_BITS)
#define REQ_EPOCH       AT(epochs, answered, EPOCH_BITS)
#define RESP_ID         (ids & ID_MASK)
#define RESP_EPOCH      (epochs & EPOCH_MASK)
#define RESP_OK         (seqs & 1)
#define RESP_BIT        (1 << RESP_ID)
#define ACKED_BEFORE    ((acked & (RESP_BIT - 1)) == RESP_BIT - 1)

inline send() {
    ids = ids | (NEXT << (outstanding * ID_BITS));
    seqs = seqs | ((NEXT - base) << (outstanding * ID_BITS));
    epochs = epochs | (epoch << (outstanding * EPOCH_BITS));
    outstanding++;
    sends = sends + (1 << (NEXT * SENDS_BITS));
    inflt = inflt | NEXT_BIT        /* last: it changes NEXT */
}

inline append() {
    log[log_length >> 1] = log[log_length >> 1] | (REQ_ID << ((log_length & 1) * 4));
    log_length++
}

inline answer(ok) {
    seqs = (seqs & ~(ID_MASK << (answered * ID_BITS))) | (ok << (answered * ID_BITS));
    answered++                      /* last: it moves the head of req */
}

inline broker() {
    if
    :: REQ_EPOCH > bepoch ->
        if
        :: REQ_SEQ == 0 -> append(); bepoch = REQ_EPOCH; nexp = 1; answer(1)
        :: else -> answer(0)
        fi
    :: REQ_EPOCH < bepoch -> answer(0)
    :: else ->
        if
        :: REQ_SEQ == nexp -> append(); nexp = REQ_SEQ + 1; answer(1)
        :: REQ_SEQ < nexp && REQ_SEQ >= nexp - W -> answer(1)
        :: else -> answer(0)
        fi
    fi
}

inline take_answer() {
    if
    :: RESP_EPOCH != epoch
    :: else ->
        if
        :: RESP_OK -> acked = acked | RESP_BIT; inflt = inflt & ~RESP_BIT
        :: else ->
            if
            :: epoch < E && ACKED_BEFORE -> epoch++; base = RESP_ID; inflt = 0
            :: else -> inflt = inflt & ~RESP_BIT
            fi
        fi
    fi;
    ids = ids >> ID_BITS;
    seqs = seqs >> ID_BITS;
    epochs = epochs >> EPOCH_BITS;
    answered--;
    outstanding--
}

inline disconnect() {
    outstanding = 0;
    answered = 0;
    ids = 0;
    seqs = 0;
    epochs = 0;
    inflt = 0
}

c_decl { extern int violates(void); };

c_code {
    /* Whether NoDup, InOrder or AckedInLog is false in this state. */
    int violates(void)
    {
        unsigned seen = 0, twice = 0, misplaced = 0, i;
        for (i = 0; i < now.log_length; i++) {
            unsigned id = (now.log[i >> 1] >> (i & 1) * 4) & 15;
            twice |= seen & 1u << id;
            seen |= 1u << id;
            misplaced |= id ^ i;
        }
        return twice || misplaced || (now.acked & ~seen);
    }
};

active proctype system() {
    do
    /* First option: its guard is evaluated once for each stored state.  Only a violating state takes it;
       the step leads back to the same state, so it adds one transition and one error, but no state. */
    :: d_step { c_expr { (violates()) } -> assert(false) }

    :: d_step { TAKEN != MASK(N) && outstanding < F && AT(sends, NEXT, SENDS_BITS) < R -> send() }
    :: d_step { answered < outstanding -> broker() }
    :: d_step { answered > 0 -> take_answer() }
    :: d_step { losses < L && outstanding > 0 -> losses++; disconnect() }
    :: d_step { lchanges < C -> lchanges++; disconnect() }
    od
}
