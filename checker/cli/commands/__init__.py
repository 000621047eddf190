"""The commands, a module for each. They import what lies beside this room, and not each other."""
