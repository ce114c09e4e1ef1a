"""What several operations and jobs do on their way. A step knows no surface and no other caller."""
