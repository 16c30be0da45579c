"""Plays a story through the public client library of Python: `python client.py STORY PROGRAM FOLDER…`.

A story is a list of { tool, arguments }; "$plan" in the arguments is the last plan.
"""

import asyncio
import json
import sys
from pathlib import Path

from mcp import Client, StdioServerParameters


async def main(story: str, program: str, *folders: str) -> None:
    server = StdioServerParameters(command=program, args=["mcp", *folders])
    async with Client(server) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        plan, pages = None, 0
        for step in json.loads(Path(story).read_text(encoding="utf-8")):
            name = step["tool"]
            if not tools[name].description or tools[name].annotations.read_only_hint is None:
                raise SystemExit(f"{name} is not listed")
            given = json.loads(json.dumps(step["arguments"]).replace('"$plan"', json.dumps(plan)))
            result = await client.call_tool(name, given)
            while True:
                texts = [block.text for block in result.content if block.type == "text"]
                last = texts[-1] if texts else "{}"
                if result.is_error:
                    raise SystemExit(f"{name}: {last}")
                pages += 1
                answer = json.loads(last) if last.startswith("{") else {}
                plan = answer.get("plan", plan)
                if "next" not in answer:
                    break
                result = await client.call_tool("more", {"cursor": answer["next"]})
        print(f"{client.server_info.name}: {len(tools)} tools, {pages} pages, {client.protocol_version}")


asyncio.run(main(*sys.argv[1:]))
