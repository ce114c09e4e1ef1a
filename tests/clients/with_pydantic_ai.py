"""Run in an environment of its own: what an agent on pydantic-ai puts before its model, as JSON."""

import asyncio
import json
import sys

from fastmcp.client.transports import StdioTransport
from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

WAY, MISSING = (json.loads(text) for text in sys.argv[1:])
CALLS = [{"path": "prices.py"}, MISSING]
SEEN = {"offered": [], "answers": []}


def model(messages, about):
    SEEN["offered"] = [tool.name for tool in about.function_tools]
    said = [part for part in messages[-1].parts if part.part_kind != "user-prompt"]
    SEEN["answers"] += [str(part.content) for part in said]
    if CALLS:
        return ModelResponse(parts=[ToolCallPart("read_file", CALLS.pop(0))])
    return ModelResponse(parts=[TextPart("That is all.")])


async def main():
    transport = StdioTransport(WAY["command"], WAY["args"], env=WAY["env"], cwd=WAY["cwd"])
    agent = Agent(FunctionModel(model), toolsets=[MCPToolset(transport)])
    async with agent:
        await agent.run("Read the prices.")
    fine, failed = SEEN["answers"]
    print(json.dumps({"offered": SEEN["offered"], "fine": fine, "failed": failed}))


asyncio.run(main())
