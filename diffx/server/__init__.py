"""Compose services, storage and transports into a running server.

Receives: settings and opened resources.   Hands on: a server that starts and stops cleanly.
Never: argv, the environment, or a rule that belongs to a service.
"""
