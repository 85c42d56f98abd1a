"""Turn what an engine saw into the three scopes of an observation (2.4, 2.5).

Receives: a Survey and the files' contents.   Hands on: Snapshots, texts, a content hash.
Never: a process, or a second look at what was already seen.
"""
