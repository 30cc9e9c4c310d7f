// RUN: nt-opt %s -p 'nt-check-stage{stage="composed"}' | nt-opt -p 'nt-check-stage{stage=specialized},cse' | filecheck %s
// RUN: not nt-opt %s -p 'nt-check-stage{stage="tt"}' 2>&1 | filecheck %s --check-prefix=LATER
// RUN: not nt-opt %s -p 'nt-check-stage{stage="schedule"}' 2>&1 | filecheck %s --check-prefix=UNKNOWN
// RUN: not nt-opt %s -p nt-check-stage 2>&1 | filecheck %s --check-prefix=MISSING

// A legal module stays as it is.
// CHECK: nt.kernel @k
// LATER: CompilerError: pass nt-check-stage: nt.kernel may not appear in stage tt
// UNKNOWN: nt-opt: ArgumentError: -p: there is no stage schedule; did you mean scheduled?
// MISSING: nt-opt: ArgumentError: -p: nt-check-stage requires argument "stage"
nt.kernel @k arrange {
  nt.arranged
} apply {
  nt.return
}
