"""What tests of several folders share. Every test file runs alone and in any order.

A whole contextd: `desks` (fixtures `desk`, `home`, `neighbour`), `clocks`, `local_host`, `browsers`, `prepared_daemons`,
`old_home`, `databases`, `homes_read`, `tool_calls`, `roles`, `team_servers`, `team_processes`.
Coding clients: `clients` (a session with hooks and transcript), `client_machines`, `transcripts`, `talks`, `imported`.
Stores: `stores`, `shop_store`, `oldest_postgres`, `postgres_server`, `pgbouncer`, `network_proxy`, `neighbours`, `writes`.
Models: `endpoints`, `onnx_files`.
Repositories and files: `repositories`, `code_repos`, `project_files`, `sightings`, `stated_rules`, `hostile_files`,
`hostile_git`, `hostile_repositories`, `broken_text`, `npm_packages`.
Requests and values: `arguments`, `schema_values`, `strategies`, `examples`, `forgeries`, `said_endings`, `said_replacements`.
The run itself: `scheduling`, `files_in_memory`, `peak_memory`, `verdicts` (how a rule fails).
"""
