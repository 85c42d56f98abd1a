"""The same with the official client, 1.x."""

import asyncio
import json
import sys
from typing import Any

from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client
from script import work_off


async def main(url: str) -> None:
    async with (
        streamable_http_client(url) as (reader, writer, _),
        ClientSession(reader, writer) as client,
    ):
        await client.initialize()
        tools = [tool.name for tool in (await client.list_tools()).tools]

        async def call(name: str, arguments: dict[str, Any]) -> Any:
            result = await client.call_tool(name, arguments)
            return result.isError, result.content[0].text, result.structuredContent

        print(json.dumps(await work_off(tools, call)))


asyncio.run(main(*sys.argv[1:]))
