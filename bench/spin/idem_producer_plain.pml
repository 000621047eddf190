/*
 * The peer model idem-producer as one naturally writes it in Promela: two channels, arrays over the batches,
 * one do loop of guarded steps.  Parameters as in idem_producer.pml, -D options of `spin -a`; here only
 * memory bounds them.
 *
 * Each action is one d_step of the only process, so SPIN stores exactly the states of the definition.  (With a
 * process for producer, broker and network each, it stores as many, but larger ones.)
 * Scratch variables are zero between steps.  `next` is derived from `st`: it adds no state.
 *
 * The properties are asserted where they can become false: `log` only grows, by append, and a batch becomes
 * ACKED in one place.  That is less work than to evaluate them in each state.
 *
 * A state without a successor is no error: run with -E.  To see the whole space of a model that
 * violates a property, run with -c0.
 */

#ifndef C
#error "give all of N F W R L E C, e.g. spin -DN=8 -DF=5 -DW=5 -DR=4 -DL=3 -DE=1 -DC=1 -a"
#endif

#define PENDING  0      /* must be sent or sent again */
#define INFLT    1      /* sent, unanswered */
#define ACKED    2

byte st[N];
byte sends[N];
byte next;              /* the smallest PENDING batch, N when there is none */
byte epoch;             /* of the producer */
byte base;              /* the first batch of the producer's epoch */
chan req  = [F] of { byte, byte, byte };        /* epoch, sequence, batch */
chan resp = [F] of { byte, byte, bool };        /* epoch, batch, ok */
byte bepoch;            /* the broker's epoch, and the sequence that it expects */
byte nexp;
byte log[N * (E + 1)];
byte log_length;
byte losses;
byte lchanges;

inline find_next() {
    do
    :: next < N && st[next] != PENDING -> next++
    :: else -> break
    od
}

inline requeue() {
    i = 0;
    do
    :: i < N ->
        if
        :: st[i] == INFLT -> st[i] = PENDING
        :: else
        fi;
        i++
    :: else -> break
    od;
    next = 0;
    find_next()
}

inline disconnect() {
    do
    :: req?_,_,_
    :: empty(req) -> break
    od;
    do
    :: resp?_,_,_
    :: empty(resp) -> break
    od;
    requeue()
}

/* Search the log for batch b: i is its offset, or log_length. */
inline look_for(b) {
    i = 0;
    do
    :: i < log_length && log[i] != b -> i++
    :: else -> break
    od
}

inline append() {
    look_for(b);
    assert(i == log_length);                    /* NoDup */
    assert(b == log_length);                    /* InOrder */
    i = 0;
    log[log_length] = b;
    log_length++
}

active proctype system() {
    byte e, s, b, i;
    bool ok;

    do
    :: d_step { next < N && len(req) + len(resp) < F && sends[next] < R ->
            req!epoch,next - base,next;
            st[next] = INFLT;
            sends[next]++;
            find_next();
            skip                                /* a d_step cannot end with a loop */
        }
    :: d_step { resp?e,b,ok ->
            if
            :: e != epoch
            :: e == epoch && ok ->
                st[b] = ACKED;
                look_for(b);
                assert(i < log_length);         /* AckedInLog */
                if
                :: next == b -> find_next()
                :: else
                fi
            :: e == epoch && !ok ->
                i = 0;
                do
                :: i < b && st[i] == ACKED -> i++
                :: else -> break
                od;
                if
                :: epoch < E && i == b -> epoch++; base = b; requeue()
                :: else ->
                    st[b] = PENDING;
                    if
                    :: b < next -> next = b
                    :: else
                    fi
                fi
            fi;
            e = 0; b = 0; i = 0; ok = false
        }
    :: d_step { req?e,s,b ->
            if
            :: e > bepoch ->
                if
                :: s == 0 -> append(); bepoch = e; nexp = 1; ok = true
                :: else
                fi
            :: e < bepoch
            :: e == bepoch ->
                if
                :: s == nexp -> append(); nexp = s + 1; ok = true
                :: s < nexp && s >= nexp - W -> ok = true
                :: else
                fi
            fi;
            resp!e,b,ok;
            e = 0; s = 0; b = 0; ok = false
        }
    :: d_step { losses < L && (nempty(req) || nempty(resp)) -> losses++; disconnect(); i = 0 }
    :: d_step { lchanges < C -> lchanges++; disconnect(); i = 0 }
    od
}
