"""Calls of mended code while Dynamo traces it: data-dependent decisions and scalars, path speculation, assumptions."""
