"""Turn a checkout, or a patch on stdin, into one Observation.

Receives: a path and a comparison choice.   Hands on: review.model.Observation.
Never: the network, SQLite, or a write to the user's files.
"""
