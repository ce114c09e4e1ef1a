"""The command line: operations as commands, and the commands only a person needs."""
