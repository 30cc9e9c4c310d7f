"""Pictures of tensors and of what programs see of them: what is drawn where, and as which text.

A picture is a :class:`~ninetoothed.pictures.scene.Scene` first: tensors as panels, and the colour
and the label of each of their elements. ``sheet`` lays it out for ``svg`` and for matplotlib
(``ninetoothed.visualization``), and ``terminal`` prints it in characters.
"""
