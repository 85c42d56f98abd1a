"""The contract between the producer half and the server half.

Receives: Submissions, or untrusted JSON.   Hands on: wire shapes, or validated Submissions.
Never: storage, Git, or a decision about who may send.
"""
