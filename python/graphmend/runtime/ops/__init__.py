"""Opaque operators: functions of NumPy and SciPy, recurrent layers, CTC. The graph calls them and cannot see inside."""
