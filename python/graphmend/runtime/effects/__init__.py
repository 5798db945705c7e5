"""Side effects deferred by a graph: the effect queue, its flush, rollback and the undo log."""
