"""Stable identities of repository, checkout and branch, kept in Git metadata (3.1-3.3).

Receives: where the metadata lies.   Hands on: keys that survive moves, remotes and renames.
Never: anything outside `diffx/` in that metadata.
"""
