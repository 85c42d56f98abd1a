"""A checkout read without git: objects through pygit2, all rules by our own reading (2.7).

Receives: a path and the caller's environment.   Hands on: the same values as `gitexe`.
Never: a filter or hook, and never a guess about what it cannot read.
"""
