"""Run in an environment of its own: what fastmcp's client sees of a server, as JSON."""

import asyncio
import json
import sys

from fastmcp import Client
from fastmcp.client.transports import StdioTransport

WAY, MISSING = (json.loads(text) for text in sys.argv[1:])


async def main():
    transport = StdioTransport(WAY["command"], WAY["args"], env=WAY["env"], cwd=WAY["cwd"])
    async with Client(transport) as client:
        offered = [tool.name for tool in await client.list_tools()]
        fine = await client.call_tool("read_file", {"path": "prices.py"})
        try:
            await client.call_tool("read_file", MISSING)
            failed = ""
        except Exception as error:
            failed = str(error)
    text = "".join(part.text for part in fine.content)
    print(json.dumps({"offered": offered, "fine": text, "failed": failed}))


asyncio.run(main())
