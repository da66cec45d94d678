"""Talks to an MCP server with the official Python client and checks every tool.

usage: mcp_client.py [--query WORDS] [--expect-empty] COMMAND [ARGUMENT ...]

Needs `pip install mcp`. Exits 0 when every check holds, 1 otherwise, with a line for each failure.
With --expect-empty the collection holds nothing and every search must say so.
"""

import argparse
import asyncio
import json
import re
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

TOOLS = {"search_docs", "read_document", "search", "fetch", "ask", "grep", "list_documents"}
failures = []


def check(holds, what):
    print(("ok      " if holds else "FAILED  ") + what, file=sys.stderr)
    if not holds:
        failures.append(what)


def field(value, *names):
    """The client renamed its fields between major versions; takes whichever is there."""
    for name in names:
        if hasattr(value, name):
            return getattr(value, name)
    return None


async def call(session, tool, **arguments):
    result = await session.call_tool(tool, arguments)
    texts = [item.text for item in result.content if item.type == "text"]
    check(len(result.content) == len(texts) == 1, f"{tool} {str(arguments)[:60]} returns one text")
    return bool(field(result, "isError", "is_error")), texts[0] if texts else ""


async def check_tools(session):
    tools = {tool.name: tool for tool in (await session.list_tools()).tools}
    check(set(tools) == TOOLS, f"the tools are {sorted(tools)}")
    for name, tool in tools.items():
        schema = field(tool, "inputSchema", "input_schema")
        check(schema.get("additionalProperties") is False, f"{name} refuses unknown arguments in its schema")
        check(bool(tool.description), f"{name} has a description")
    check("not call" in tools["search_docs"].description.lower(), "search_docs says when not to call it")
    return tools


async def check_bad_calls(session):
    for tool, arguments in [
        ("search_docs", {}),
        ("search_docs", {"query": "   "}),
        ("search_docs", {"query": "x", "colour": "red"}),
        ("search_docs", {"query": "x", "limit": 0}),
        ("search_docs", {"query": "x", "max_tokens": 10_000_000}),
        ("search_docs", {"query": "a" * 100_001}),
        ("search_docs", {"query": 7}),
        ("read_document", {"id": "000000000000"}),
        ("fetch", {"id": "no such id"}),
        ("ask", {}),
        ("ask", {"question": "  "}),
        ("ask", {"question": "x", "query": "x"}),
        ("grep", {}),
        ("grep", {"words": "x", "limit": 0}),
        ("grep", {"words": "x", "scope": "all"}),
        ("list_documents", {"start": -1}),
        ("list_documents", {"contains": 7}),
    ]:
        is_error, text = await call(session, tool, **arguments)
        shown = str(arguments)[:60]
        check(is_error and "hint:" in text, f"{tool} {shown} is a tool error with a hint")
    try:
        result = await session.call_tool("no_such_tool", {})
        check(bool(field(result, "isError", "is_error")), "an unknown tool is an error")
    except Exception:  # the client raises a protocol error; its class differs between versions
        check(True, "an unknown tool is an error")


async def check_empty(session, query):
    is_error, text = await call(session, "search_docs", query=query)
    check(not is_error and text.startswith("No matching documents."), "search_docs says that nothing matches")
    check("Try" in text, "search_docs says what to try")
    is_error, text = await call(session, "search", query=query)
    check(not is_error and json.loads(text) == {"results": []}, "search returns no results")


async def check_answers(session, tools, query):
    is_error, text = await call(session, "search_docs", query=query)
    cited = re.findall(r"^\[doc:([0-9a-f]{12})#\d+\] \(score \d\.\d\d\) \S", text, re.MULTILINE)
    check(not is_error and bool(cited), "search_docs cites passages")
    is_error, short = await call(session, "search_docs", query=query, limit=1, max_tokens=300)
    check(not is_error and short.count("[doc:") == 1, "limit and max_tokens are obeyed")

    schema = field(tools["search_docs"], "inputSchema", "input_schema")
    keys = schema["properties"].get("filters", {}).get("properties", {})
    for key, one in keys.items():
        if "items" in one:
            value = one["items"]["enum"][0]
            is_error, text = await call(session, "search_docs", query=query, filters={key: [value]})
            check(not is_error, f"the filter {key}={value} is taken")
            is_error, text = await call(session, "search_docs", query=query, filters={key: ["no such value"]})
            check(is_error and value in text, f"an unknown value of {key} is refused, naming those there are")
            break
    else:
        check(False, "some filter is an enumeration")
    is_error, text = await call(session, "search_docs", query=query, filters={"no_such_key": ["x"]})
    check("no_such_key" in text, "an unknown filter key is named")

    if not cited:
        return
    is_error, text = await call(session, "read_document", id=cited[0])
    check(not is_error and f"[doc:{cited[0]}]" in text, "read_document reads what was cited")
    is_error, text = await call(session, "read_document", id=f"{cited[0]}#0", max_tokens=200)
    check(not is_error, "read_document takes a passage id and a budget")

    is_error, text = await call(session, "list_documents", max_tokens=2000)
    check(not is_error and cited[0] in text, "list_documents lists what was cited")
    is_error, text = await call(session, "grep", words=query.split()[0], ignore_case=True, limit=1)
    check(not is_error and "note: " in text, "grep counts what it found")
    is_error, text = await call(session, "ask", question=query, max_tokens=1000)
    check(not is_error and ("confidence: " in text or "reason: " in text), "ask answers or refuses")

    is_error, text = await call(session, "search", query=query)
    results = json.loads(text)["results"]
    check(not is_error and bool(results), "search returns results")
    check(all(set(one) == {"id", "title", "url"} for one in results), "each result has id, title and url")
    is_error, text = await call(session, "fetch", id=results[0]["id"])
    document = json.loads(text)
    check(set(document) == {"id", "title", "text", "url", "metadata"}, "fetch has the documented keys")
    check(document["id"] == results[0]["id"] and bool(document["text"]), "fetch returns the document's text")


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--query", default="refund within 30 days")
    parser.add_argument("--expect-empty", action="store_true")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    if not options.command:
        parser.error("name the command that runs the server")
    server = StdioServerParameters(command=options.command[0], args=options.command[1:])
    async with stdio_client(server) as (reading, writing), ClientSession(reading, writing) as session:
        await session.initialize()
        tools = await check_tools(session)
        await check_bad_calls(session)
        if options.expect_empty:
            await check_empty(session, options.query)
        else:
            await check_answers(session, tools, options.query)


asyncio.run(asyncio.wait_for(main(), 120))
print(f"{len(failures)} checks failed", file=sys.stderr)
sys.exit(1 if failures else 0)
