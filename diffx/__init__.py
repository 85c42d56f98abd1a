"""diffx: review the changes in a Git checkout, from stored data.

One review flows one way through these packages:

    collector   a checkout, or a patch on stdin, becomes one Observation
    submission  an Observation reaches a remote server, surviving crashes
    hooks       an agent's turn ends; decide whether to collect and submit
    ingestion   the contract between the producer half and the server half
    store       SQLite; one public method is one transaction
    services    application rules over Protocols
    httpapi     REST, server-sent events, the web UI's assets
    mcpapi      the same services for agents
    server      compositions: local and remote
    cli         argv, environment, terminal, exit codes

`review` holds the pure data and rules that all of them speak.
"""

__version__ = "0.1.0"
