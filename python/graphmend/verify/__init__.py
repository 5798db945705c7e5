"""`graphmend verify`: one program as it is and mended, in processes of their own, compared call by call.

`main` is the command; it starts `child` once for each of the runs, which records what it sees (`install`, `calls`,
`dynamo`, `events`) with `store`; the other modules read the records, compare them and say what came out. docs/verify.md
is the manual.
"""
