"""The tools that an agent is offered over MCP, and the server that offers them.

It stands below `agents`: what runs in the agent's sandbox comes in as a `running.Runner`.
"""
