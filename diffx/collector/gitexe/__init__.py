"""The git executable as a repository, made safe: the only place that runs it (2.2).

Receives: a path and the caller's environment.   Hands on: what git says, as repository values.
Never: a program that a configuration names, a lock, a write, a fetch.
"""
