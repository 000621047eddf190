"""Reports for CI systems: annotations and summary of GitHub, JUnit XML, SARIF.

May import: runners, matrix.
"""
