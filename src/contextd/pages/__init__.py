"""What a page of the dashboard is made of: its request, its answers, and its charts. No HTTP.

Uses: domain.
Start at: `page.py`.
"""
