"""What a project is: its stack, its modules, and `project.yaml`."""
