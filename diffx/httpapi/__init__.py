"""Serve REST, server-sent events and the web UI's assets.

Receives: bytes from sockets.   Hands on: calls to services; answers as bytes.
Never: SQL, Git, or a rule about what a review means.
"""
