"""Context types people define: reading schema.yaml, checking data against it, asking by fields."""
