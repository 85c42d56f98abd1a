"""Let agents read a review and answer it, over the Model Context Protocol.

Receives: the head and body of one POST, and who asks.   Hands on: an answer's status and bytes.
Never: sockets, SQL, a checkout, or a text written by others without its label.
"""
