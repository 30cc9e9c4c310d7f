"""Lines of Triton's stages with their places in the source, as each text tells them."""

from __future__ import annotations

from ninetoothed.view.listing import Places
from ninetoothed.view.machine_lines import machine_listing


def rows(name: str, text: str) -> list[tuple[str, Places | None]]:
    found = machine_listing(name, text)
    return list(zip(found.lines, found.places, strict=True))


def test_mlir_tells_places_by_aliases() -> None:
    text = """\
#blocked = #ttg.blocked<{order = [0]}>
#loc = loc(unknown)
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func public @f(%x: !tt.ptr<f32> loc("x"), %n: i32 loc("n"(#loc3))) {
    %0 = arith.constant 0 : i32 loc(#loc)
    %1 = "tt.reduce"(%0) <{axis = 0 : i32}> ({
    ^bb0(%a: f32 loc(unknown)):
      tt.reduce.return %a : f32 loc(#loc4)
    }) : (i32) -> i32 loc(#loc2)
    scf.if %c {
      tt.store %1 loc("v"(#loc2))
    } else {
    } loc(#loc3)
  } loc(#loc1)
} loc(#loc)
#loc1 = loc("k.py":3:1)
#loc2 = loc("k.py":4:5)
#loc3 = loc(callsite("lib.py":9:2 at #loc2))
#loc4 = loc(fused[#loc1, #loc2])
"""
    first, second = ("k.py", 3), ("k.py", 4)
    called = (("lib.py", 9), second)
    assert rows("ttgir", text) == [
        ("#blocked = #ttg.blocked<{order = [0]}>", None),
        ('module attributes {"ttg.num-warps" = 4 : i32} {', ()),
        ("  tt.func public @f(%x: !tt.ptr<f32>, %n: i32) {", (first,)),
        ("    %0 = arith.constant 0 : i32", ()),
        ('    %1 = "tt.reduce"(%0) <{axis = 0 : i32}> ({', (second,)),
        ("    ^bb0(%a: f32):", (second,)),
        ("      tt.reduce.return %a : f32", (first, second)),
        ("    }) : (i32) -> i32", (second,)),
        ("    scf.if %c {", called),
        ("      tt.store %1", (second,)),
        ("    } else {", called),
        ("    }", called),
        ("  }", (first,)),
        ("}", ()),
    ]


def test_llvm_tells_places_by_metadata() -> None:
    text = """\
target triple = "nvptx64"
define void @f(ptr %0) !dbg !3 {
  %2 = add i32 1, 2, !dbg !5
  ret void
}
declare void @g()
!1 = !DIFile(filename: "k.py", directory: "/home")
!2 = !DIFile(filename: "lib.py", directory: "/home")
!3 = distinct !DISubprogram(name: "f", file: !1, line: 3, unit: !9)
!4 = distinct !DILexicalBlockFile(scope: !3, file: !2, discriminator: 0)
!5 = !DILocation(line: 9, column: 2, scope: !4, inlinedAt: !6)
!6 = !DILocation(line: 4, column: 5, scope: !3)
"""
    assert rows("llir", text) == [
        ('target triple = "nvptx64"', None),
        ("define void @f(ptr %0) {", (("/home/k.py", 3),)),
        ("  %2 = add i32 1, 2", (("/home/lib.py", 9), ("/home/k.py", 4))),
        ("  ret void", ()),
        ("}", None),
        ("declare void @g()", None),
    ]


def test_assembly_tells_places_by_directives() -> None:
    text = """\
.visible .entry f(
\t.param .u64 f_param_0
)
{
\t.reg .pred \t%p<2>;
\t.loc\t1 3 0                          // k.py:3:0
$L__func_begin0:
\t.loc\t1 4 5
\tadd.s32 \t%r1, %r2, %r3;
\t.loc\t2 9 2, function_name $L__info_string0, inlined_at 1 4 5
\t@%p1 bra \t$L__BB0_2;
$L__BB0_2:
\tret;
}
\t.file\t1 "/home/k.py"
\t.file\t2 "/home" "lib.py"
\t.section\t.debug_abbrev
\t{
.b8 1
\t}
"""
    place, called = ("/home/k.py", 4), ("/home/lib.py", 9)
    assert rows("ptx", text) == [
        (".visible .entry f(", None),
        ("\t.param .u64 f_param_0", None),
        (")", None),
        ("{", None),
        ("\t.reg .pred \t%p<2>;", None),
        ("\tadd.s32 \t%r1, %r2, %r3;", (place,)),
        ("\t@%p1 bra \t$L__BB0_2;", (called, place)),
        ("$L__BB0_2:", None),
        ("\tret;", (called, place)),
        ("}", None),
    ]


def test_line_zero_is_no_place() -> None:
    text = '\t.file\t1 "k.py"\n\t.loc\t1 0 0\n\ts_endpgm\n'
    assert rows("amdgcn", text) == [("\ts_endpgm", ())]


def test_machine_code_tells_places_by_comments() -> None:
    text = """\
f:
\t//## File "/home/k.py", line 4
        /*0000*/                   MOV R1, c[0x0][0x28] ;
\t//## File "/home/lib.py", line 9 inlined at "/home/k.py", line 5
\t//## File "/home/k.py", line 5
        /*0010*/              @!P0 EXIT ;
.L_x_1:
        /*0020*/                   BRA `(.L_x_1);
"""
    called = (("/home/lib.py", 9), ("/home/k.py", 5))
    assert rows("sass", text) == [
        ("f:", None),
        ("                   MOV R1, c[0x0][0x28]", (("/home/k.py", 4),)),
        ("              @!P0 EXIT", called),
        (".L_x_1:", None),
        ("                   BRA `(.L_x_1)", called),
    ]


def test_a_text_of_another_kind_has_no_places() -> None:
    assert rows("spirv", "OpNop\n") == [("OpNop", None)]
    assert machine_listing("spirv", "OpNop").linked == 1


def test_files_have_their_own_names_again() -> None:
    file = '/home/"é".py'
    text = '\t.file\t1 "/home" "%22%C3%A9%22.py"\n\t.loc\t1 4 5\n\tret;\n'
    assert machine_listing("ptx", text, [file]).places == (((file, 4),),)
