"""The command line: the operations as commands, and the commands only a person needs."""
