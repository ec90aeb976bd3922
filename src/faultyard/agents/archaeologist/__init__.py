"""The program of the agent `archaeologist`: who changed what, when, and how often.

It looks at the metadata of objects alone: ages, managed fields, revisions, restarts, names, the
configuration that was applied last. It never looks at telemetry, and never at what a value is.

It runs on the agent's machine with nothing but Python's own library, and knows no application.
"""
