"""Specs that ship with Everystate."""
