"""The safety frontier: every cell of a `grid` of two constants is checked, and drawn as text, SVG and HTML.

May import: runners.
"""
