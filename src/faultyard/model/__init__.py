"""The pure core: problems, records, differences, findings and verdicts.

Nothing here touches a clock, the network or a process. The one module that reads
files is `files`; everything else works on what it hands over.
"""
