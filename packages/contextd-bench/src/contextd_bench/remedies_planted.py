"""Errors in twelve languages: the recorded one, the same elsewhere, and a similar but different
one.

Written for this benchmark, before any measurement with them.
"""

from __future__ import annotations

from typing import NamedTuple


class PlantedError(NamedTuple):
    """`known` was recorded with a fix; `again` is the same error in another place; `other` is another one of
    the same form, whose fix is another one too.
    """

    known: str
    again: str
    other: str


PLANTED: tuple[PlantedError, ...] = (
    PlantedError(
        "ModuleNotFoundError: No module named 'lxml'",
        'Traceback (most recent call last):\n  File "/builds/42/app/feed.py", line 7, in <module>\n    from lxml import etree\nModuleNotFoundError: No module named \'lxml\'',
        'Traceback (most recent call last):\n  File "/builds/42/app/feed.py", line 8, in <module>\nModuleNotFoundError: No module named \'redis\'',
    ),
    PlantedError(
        "sqlalchemy.exc.OperationalError: (sqlite3.OperationalError) database is locked",
        'Traceback (most recent call last):\n  File "/srv/a.py", line 991, in run\nsqlalchemy.exc.OperationalError: (sqlite3.OperationalError) database is locked\n[SQL: UPDATE jobs SET state=? WHERE id=?]',
        "Traceback (most recent call last):\nsqlalchemy.exc.OperationalError: (sqlite3.OperationalError) no such table: jobs",
    ),
    PlantedError(
        "E       fixture 'db_session' not found",
        "file /w/tests/test_cart.py, line 31\n  def test_total(db_session):\nE       fixture 'db_session' not found\n>       available fixtures: cache, tmp_path",
        "file /w/tests/test_cart.py, line 31\nE       fixture 'frozen_clock' not found",
    ),
    PlantedError(
        "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xff in position 0: invalid start byte",
        "Traceback (most recent call last):\n  File \"<frozen codecs>\", line 322, in decode\nUnicodeDecodeError: 'utf-8' codec can't decode byte 0xfe in position 1204: invalid start byte",
        "UnicodeEncodeError: 'ascii' codec can't encode character '\\u20ac' in position 3: ordinal not in range(128)",
    ),
    PlantedError(
        "Error: listen EADDRINUSE: address already in use :::3000",
        "node:events:497\n      throw er; // Unhandled 'error' event\nError: listen EADDRINUSE: address already in use :::8080\n    at Server.setupListenHandle (node:net:1898:16)",
        "Error: connect ECONNREFUSED 127.0.0.1:3000\n    at TCPConnectWrap.afterConnect (node:net:1555:16)",
    ),
    PlantedError(
        "Error: error:0308010C:digital envelope routines::unsupported",
        "Error: error:0308010C:digital envelope routines::unsupported\n    at new Hash (node:internal/crypto/hash:71:19)\n    at /home/bo/site/node_modules/webpack/lib/util/createHash.js:135:53",
        "Error: error:1416F086:SSL routines:tls_process_server_certificate:certificate verify failed",
    ),
    PlantedError(
        "error TS2307: Cannot find module '@shop/cart' or its corresponding type declarations.",
        "\x1b[96msrc/pages/index.ts\x1b[0m:\x1b[93m4\x1b[0m:\x1b[93m21\x1b[0m - \x1b[91merror\x1b[0m\x1b[90m TS2307: \x1b[0mCannot find module '@shop/cart' or its corresponding type declarations.",
        "src/pages/index.ts:5:21 - error TS2307: Cannot find module 'lodash-es' or its corresponding type declarations.",
    ),
    PlantedError(
        "Error [ERR_REQUIRE_ESM]: require() of ES Module /w/node_modules/chalk/source/index.js from /w/cli.js not supported.",
        "/tmp/x/bin/run.js:2\nError [ERR_REQUIRE_ESM]: require() of ES Module /tmp/x/node_modules/chalk/source/index.js from /tmp/x/bin/run.js not supported.",
        "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'chalk' imported from /w/cli.js",
    ),
    PlantedError(
        "go: cannot find main module, but found .git/config in /w/shop",
        "go: cannot find main module, but found .git/config in /Users/kim/src/shop\n\tto create a module there, run:\n\tgo mod init",
        "go: updates to go.mod needed; to update it:\n\tgo mod tidy",
    ),
    PlantedError(
        "panic: runtime error: invalid memory address or nil pointer dereference",
        "panic: runtime error: invalid memory address or nil pointer dereference\n[signal SIGSEGV: segmentation violation code=0x1 addr=0x18 pc=0x4a2b3c]\ngoroutine 1 [running]:",
        "panic: runtime error: index out of range [5] with length 3",
    ),
    PlantedError(
        "fatal error: all goroutines are asleep - deadlock!",
        "fatal error: all goroutines are asleep - deadlock!\n\ngoroutine 1 [chan receive]:\nmain.main()\n\t/home/x/main.go:12 +0x58",
        "fatal error: concurrent map writes in the cache",
    ),
    PlantedError(
        "error[E0502]: cannot borrow `basket` as mutable because it is also borrowed as immutable",
        "error[E0502]: cannot borrow `basket` as mutable because it is also borrowed as immutable\n  --> crates/core/src/lib.rs:88:9",
        "error[E0502]: cannot borrow `orders` as mutable because it is also borrowed as immutable",
    ),
    PlantedError(
        "error: linker `cc` not found",
        "   Compiling libc v0.2.150\nerror: linker `cc` not found\n  |\n  = note: No such file or directory (os error 2)",
        "error: could not find `Cargo.toml` in `/w` or any parent directory",
    ),
    PlantedError(
        "java.sql.SQLTransientConnectionException: HikariPool-1 - Connection is not available, request timed out after 30000ms.",
        'Exception in thread "worker-7" java.lang.RuntimeException: failed\n\tat a.B.c(B.java:9)\nCaused by: java.sql.SQLTransientConnectionException: HikariPool-3 - Connection is not available, request timed out after 30001ms.\n\t... 12 more',
        "java.sql.SQLSyntaxErrorException: Table 'shop.orders' doesn't exist",
    ),
    PlantedError(
        "error: invalid source release: 21",
        "> Task :compileJava FAILED\nerror: invalid source release: 21\n\n* What went wrong:\nExecution failed for task ':compileJava'.",
        "error: package javax.inject does not exist",
    ),
    PlantedError(
        "java.lang.OutOfMemoryError: Java heap space is exhausted",
        "Exception in thread \"main\" java.lang.OutOfMemoryError: Java heap space is exhausted\n\tat java.base/java.util.Arrays.copyOf(Arrays.java:3537)",
        "java.lang.OutOfMemoryError: Metaspace of the class loader",
    ),
    PlantedError(
        "undefined method `total' for nil:NilClass (NoMethodError)",
        "/app/models/cart.rb:14:in `sum': undefined method `total' for nil:NilClass (NoMethodError)\n\tfrom /app/x.rb:3",
        "/app/models/cart.rb:14:in `sum': undefined method `price' for nil:NilClass (NoMethodError)",
    ),
    PlantedError(
        "PHP Fatal error:  Allowed memory size of 134217728 bytes exhausted (tried to allocate 20480 bytes)",
        "PHP Fatal error:  Allowed memory size of 268435456 bytes exhausted (tried to allocate 65536 bytes) in /var/www/a.php on line 12",
        "PHP Fatal error:  Maximum execution time of 30 seconds exceeded in /var/www/a.php on line 12",
    ),
    PlantedError(
        "error CS0246: The type or namespace name 'Newtonsoft' could not be found",
        "Program.cs(3,7): error CS0246: The type or namespace name 'Newtonsoft' could not be found (are you missing a using directive?) [/src/App.csproj]",
        "Program.cs(3,7): error CS0246: The type or namespace name 'Dapper' could not be found (are you missing a using directive?) [/src/App.csproj]",
    ),
    PlantedError(
        "fatal error: openssl/ssl.h: No such file or directory",
        "src/net.c:3:10: fatal error: openssl/ssl.h: No such file or directory\n    3 | #include <openssl/ssl.h>\ncompilation terminated.",
        "src/net.c:4:10: error: unknown type name 'uint128_t' in this file",
    ),
    PlantedError(
        "error: gpg failed to sign the data",
        "error: gpg failed to sign the data\nfatal: failed to write commit object",
        "error: failed to push some refs to 'origin'",
    ),
    PlantedError(
        "fatal: refusing to merge unrelated histories",
        "From github.com:a/b\n * branch  main -> FETCH_HEAD\nfatal: refusing to merge unrelated histories",
        "fatal: Not possible to fast-forward, aborting, it is invalid here.",
    ),
    PlantedError(
        "ERROR: for web  Cannot start service web: Ports are not available: listen tcp 0.0.0.0:80: bind: permission denied",
        "ERROR: for web  Cannot start service web: Ports are not available: listen tcp 0.0.0.0:443: bind: permission denied",
        "ERROR: for db  Cannot start service db: Mounts denied: the path /data is not shared",
    ),
    PlantedError(
        "(eval):1: command not found: timeout",
        "(eval):3: command not found: timeout",
        "(eval):1: command not found: gsed",
    ),
)  # fmt: skip
