"""Passes over a captured graph: lowering of markers, functionalisation of sides, dead code that raises."""
