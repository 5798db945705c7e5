"""Opaque operators: functions of NumPy and SciPy, recurrent layers, CTC. The graph calls each as one node."""
