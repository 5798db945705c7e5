"""Shims: independent gaps of Dynamo, each closed in a file of its own."""
