"""The gallery: a page with a picture and a trace for every scenario that must fail; see `__main__` and `pages`."""
