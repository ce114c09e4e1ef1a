"""What contextd claims, measured on public data and on this machine, beside baselines."""
