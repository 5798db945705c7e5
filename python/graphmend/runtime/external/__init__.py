"""Values from outside the program (random numbers, clocks, caches), drawn in front of the graph in program order."""
