"""An investigator without a model: it looks where an on-call engineer would look, in that order.

It is a program of its own that runs on the agent's machine: it imports nothing of the rest of this
tree (hence the relative imports), and knows nothing of any application, only Kubernetes, Linux and
the on-call tools.
"""
