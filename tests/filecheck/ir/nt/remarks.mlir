// RUN: nt-opt %s | nt-opt --print-local-scope | filecheck %s
// RUN: nt-opt %s --remarks -p canonicalize 2>&1 | filecheck %s --check-prefix=TEXT

// Remarks are kept with the kernel: of each kind, with or without a place, which may be that of a call.
// CHECK-LABEL: nt.kernel @remarked attributes {nt.remarks = [
// CHECK-SAME: #nt.remark<passed "nt-a" "done: \22x\22" loc("kernel.py":3:5)>,
// CHECK-SAME: #nt.remark<missed "nt-b" "kept: `y`" loc(callsite("kernel.py":3:5 at "main.py":1:2))>,
// CHECK-SAME: #nt.remark<analysis "nt-c" "seen">]}
// TEXT: kernel.py:3:5: remark: done: "x" [nt-a, passed]
// TEXT-NEXT: kernel.py:3:5: remark: kept: `y` [nt-b, missed]
// TEXT-NEXT: main.py:1:2: note: called from here
// TEXT-NEXT: remark: seen [nt-c, analysis]
nt.kernel @remarked attributes {nt.remarks = [#nt.remark<passed "nt-a" "done: \"x\"" loc("kernel.py":3:5)>, #nt.remark<missed "nt-b" "kept: `y`" loc(callsite("kernel.py":3:5 at "main.py":1:2))>, #nt.remark<analysis "nt-c" "seen">]} arrange {
  nt.arranged
} apply {
  nt.return
}

// A kernel collects none unless it is asked to.
// CHECK-LABEL: nt.kernel @plain arrange
// TEXT-LABEL: nt.kernel @plain attributes {nt.remarks = []}
nt.kernel @plain arrange {
  nt.arranged
} apply {
  nt.return
}
