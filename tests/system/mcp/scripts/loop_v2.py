"""Work a review off with the official client, 2.x: read, reply, resolve, comment, wait, read."""

import asyncio
import json
import sys
from typing import Any

from mcp import Client
from script import work_off


async def main(url: str, mode: Any) -> None:
    async with Client(url, mode=mode) as client:
        tools = [tool.name for tool in (await client.list_tools()).tools]

        async def call(name: str, arguments: dict[str, Any]) -> Any:
            result = await client.call_tool(name, arguments)
            return result.is_error, result.content[0].text, result.structured_content

        print(json.dumps(await work_off(tools, call)))


asyncio.run(main(*sys.argv[1:]))
