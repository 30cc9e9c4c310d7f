"""The compilation of one kernel on one page: every stage, and how its lines belong together.

``collection`` compiles and keeps all texts, ``module_lines`` and ``machine_lines`` find the lines
of the user's source that a line stands for, ``page`` makes the HTML page, whose parts are the other
files here, and ``structured_logs`` writes the formats of other tools. ``exploration`` makes another
page, on the arrangement alone; ``skeleton`` is what the two share.
"""
