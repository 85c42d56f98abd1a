"""The outermost ring: argv, environment, terminal and exit codes.

Receives: what the shell gives.   Hands on: explicit arguments to everything inside.
Never: a rule that another program would need too.
"""
