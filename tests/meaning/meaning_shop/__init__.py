"""A package whose meanings are read from the source and from the types at run time, and have to be the same."""

from meaning_shop.parts import Part as Part
