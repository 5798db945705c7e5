"""Tables behind `torch_names`: the rows of private names and places, and how releases of torch differ.

`names.py` has the rows of names, `places.py` the rows of functions that hooks replace, `releases.py` the differences
between releases, `older.py` functions for older releases, `protocols.py` annotations for mypy.
"""
