// RUN: nt-opt %s -t ttir --generic | filecheck %s --check-prefix=TTIR
// RUN: nt-opt %s -t triton-python | filecheck %s --check-prefix=PY

// The loop over programs is Triton's to make one with those in it. That it is one stays here.
// TTIR: "tt.get_num_programs"
// TTIR: "scf.for"(%first, %n, %step) ({
// TTIR-NOT: nt.
// TTIR: }) {tt.flatten} :

// PY: # Programs do all the work, however many start: as many as run at once, and no more.
// PY-NEXT: @triton.jit
// PY: for pid in tl.range(tl.program_id(0), n, tl.num_programs(0), flatten=True):
tt.func @persistent(%x: !tt.ptr<i32> {"nt.param" = "x"}, %n: i32 {"nt.param" = "n"})
    attributes {"nt.params" = [#nt.param<"x" tensor [] []>, #nt.param<"n" scalar [] []>],
                "nt.grid" = #nt.expr<1>, "nt.checks" = []} {
  %first = tt.get_program_id 0 : i32
  %step = tt.get_num_programs 0 : i32
  scf.for %pid = %first to %n step %step : i32 {
    tt.store %x, %pid : !tt.ptr<i32>
  } {nt.over_programs, tt.flatten}
  tt.return
}
