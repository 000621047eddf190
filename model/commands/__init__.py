"""The commands for Kafka, a module for each, and the modules that only they use. `everystate.parts` lists them."""
