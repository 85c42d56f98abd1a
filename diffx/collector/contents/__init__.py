"""Read hostile, moving files safely, and decide which texts an observation carries (2.5, 2.10).

Receives: an open root and paths.   Hands on: bytes, digests, readable texts, and reasons.
Never: a followed link, an opened pipe, or more memory than the budget.
"""
