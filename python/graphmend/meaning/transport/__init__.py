"""Posts over HTTP/1.1 for endpoints.

`http.py` and `events.py` read bytes from a server, `exchange.py` has the steps of one post; none of the three has input
or output. `blocking.py` and `coroutines.py` carry the steps out, `address.py` knows where to, `clock.py` until when.
"""
