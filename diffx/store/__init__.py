"""Keep observations and reviews in SQLite; one public method is one transaction.

Receives: Submissions and queries, an owner, the time.   Hands on: records.
Never: HTTP, Git, the wall clock, or an observation that is half there.
"""
