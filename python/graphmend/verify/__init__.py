"""`graphmend verify`: a program runs plain and mended, in separate processes, and the runs are compared call by call.

`main` is the command. It starts `child` once for each run. `child` records calls, Dynamo's work and output (`install`,
`calls`, `dynamo`, `events`) with `store`. The remaining modules read the records, compare them and write the report.
docs/verify.md is the manual.
"""
