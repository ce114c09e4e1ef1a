"""Passwords that are a word and a number, and where they can be nothing else."""

from __future__ import annotations

WEAK = (
    "hunter2",
    "passwrod1234",
    "word1234",
    "tiger99",
    "sommer2024",
    "kitten42",
    "monkey7",
    "dragon123",
)
"""Passwords of people who choose a word and a number."""

WEAK_FORMS = (
    "password=§",
    "password: §",
    "DB_PASSWORD=§",
    "export PGPASSWORD=§",
    "the db uses password=§ for now",
    "user=bob&password=§&remember=1",
    "Server=db;User Id=sa;Password=§;Database=x",
    "docker run -e DB_PASSWORD=§ image",
    '{"password": "§"}',
    '{\\"password\\":\\"§\\"}',
    "password=§\r\nuser=x",
    "machine api.test\n  login bob\n  password §",
    "passwort: §",
    "contraseña: §",
    "mot de passe : §",
    "パスワード: §",
    "密码: §",
    "postgres://app:§@db.test/main",
    "spring.datasource.password=§",
    "  password: '§'",
    'password = "§"',
    'DB_PASSWORD="§" ./run',
    "export PGPASSWORD='§'; psql -h db",
    "our password: '§', do not share it",
    "the password is '§', ask Kim",
    "log in to staging (password: '§') first",
    '<datasource user="app" password="§"/>',
    "$env:DB_PASSWORD='§'",
    "ALTER USER app WITH PASSWORD '§';",
    "define('DB_PASSWORD', '§');",
    "mysql -u app -p§ main",
    "curl -u bob:§ https://api.test/v1",
    'curl -d \'{"user": "bob", "password": "§"}\' https://api.test/login',
)
"""Where a word with a number, at §, can only be a password."""
