"""What a page of the dashboard is made of: its request, its answers, and its charts. No HTTP.

Uses: contextd_common, domain.
Start at: `page.py`.
"""
