"""Rules that a problem keeps before anybody runs it: what a reviewer would look for, by name.

A rule is a function marked `@rule("id")` in one of these modules. It looks at files alone.
"""
