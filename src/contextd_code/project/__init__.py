"""Describe a project: its stack, its modules, and `project.yaml`."""
