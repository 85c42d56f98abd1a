"""Application rules, over Protocols that storage satisfies by shape.

Receives: Submissions, queries, an owner.   Hands on: records.
Never: SQL, sockets, HTTP, JSON, or a checkout.
"""
