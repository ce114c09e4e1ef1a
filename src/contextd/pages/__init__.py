"""What a page of the dashboard is made of: its request, its answers, and its charts. No HTTP.

Uses: contextd_code, domain.
Start at: `page.py`.
"""
