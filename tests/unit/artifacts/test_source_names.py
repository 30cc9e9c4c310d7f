"""Names of files in generated texts: which they are, and whose."""

from __future__ import annotations

import re
from urllib.parse import unquote

from hypothesis import given
from hypothesis import strategies as st

from ninetoothed.artifacts.source_names import decoder, encoded, file_table


@given(st.text(st.characters(exclude_categories=())))
def test_a_name_is_encoded_in_plain_ascii_and_is_not_lost(name: str) -> None:
    assert re.fullmatch(r"[ !#-\[\]-~]*", encoded(name))
    assert unquote(encoded(name), errors="surrogatepass") == name
    assert decoder([name]) == {encoded(name): name}


def test_most_names_stay() -> None:
    name = "/home/it's me/<stdin> [1]{2}#3,4.py"
    assert encoded(name) == name
    assert encoded('50% "é"\n.py') == "50%25 %22%C3%A9%22%0A.py"


def test_the_table_of_files_of_an_assembly() -> None:
    ptx = '\t.loc\t1 5 1\n\t.file\t1 "/home/a b.py"\n.file\t2 "/home" "lib.py"\n\t.file\t"x.c"\n'
    assert file_table(ptx) == {"1": "/home/a b.py", "2": "/home/lib.py"}
