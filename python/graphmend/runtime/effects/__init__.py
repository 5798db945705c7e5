"""Side effects that a graph defers: the effect queue, its flush, rollback and the undo log."""
