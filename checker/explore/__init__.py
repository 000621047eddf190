"""Walk through the states of a spec: a session in Python, and the page that shows it in a browser.

`session` holds the tree of what was walked. Beside it lie what a state offers (`moves`, `guards`), what is true there
(`truth`), what the engine is asked (`questions`), and the forms in which a walk leaves (`exports`). `api` answers the
page in plain data, `server` alone knows of HTTP. May import counterexamples, for what is drawn.
"""
