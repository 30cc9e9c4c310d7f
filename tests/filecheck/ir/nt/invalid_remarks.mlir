// RUN: nt-opt %s --split-input-file --parsing-diagnostics | filecheck %s

// CHECK: a remark is one of passed, missed, analysis, not failed
nt.kernel @k attributes {nt.remarks = [#nt.remark<failed "nt-a" "text">]} arrange {
  nt.arranged
} apply {
  nt.return
}

// -----

// CHECK: Unexpected location syntax
nt.kernel @k attributes {nt.remarks = [#nt.remark<missed "nt-a" "text" loc(3)>]} arrange {
  nt.arranged
} apply {
  nt.return
}
