"""The commands, a module for each. They import the modules beside this package, and not each other."""
