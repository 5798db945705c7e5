"""The process behind warm interpreters: it serves, and its children are emptied of this module's names."""

import sys

import interpreter

interpreter.warm_up()
request = interpreter.serve(sys.argv[1])
interpreter.become(request)
interpreter.run(request["arguments"])
