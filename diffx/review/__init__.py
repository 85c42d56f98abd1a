"""What a change and a review are: pure data and rules.

Receives: plain values.   Hands on: frozen values that every other package speaks.
Never: I/O, time, randomness, threads, `os` or `pathlib`.
"""
