"""Generic prompts and rules. A prompt that is no nearer to a rule than to these does not need the rule."""

from __future__ import annotations

USUAL_PROMPTS = tuple(
    """fix the failing build
why is the page so slow
what does this function do
refactor this class
continue
make it faster
remove the unused import
how do I run this locally
create a new file for the helper
the login is broken on mobile
use a dictionary instead
what happens when the input is empty
the tests fail on windows
undo the last change
split this function into two
implement the plan we discussed
download the data and plot it
upgrade the library to the latest version
handle the timeout properly
the query returns duplicate rows
translate the comments to English
review the code you wrote
convert the project to typescript
the docker image does not start
send an email when the job is done
list all endpoints
compare both approaches
let users upload a picture
the button overlaps the text
add pagination to the table
generate the client from the schema
log the response of the server""".splitlines()
)
"""Prompts that no rule applies to; together with the rules they give the rarity of a word or topic."""

USUAL_RULES = tuple(
    """Write tests for new features.
Use descriptive names.
Run the linter before each commit.
Never push to main.
Handle errors explicitly.
Log with levels, not with print.
Do not add dependencies without asking.
Use transactions for related writes.
Update the changelog.
Cache expensive results.
Use environment variables for configuration.
Answer in short sentences.
Use the package manager of the project.
Never expose internal errors to users.
Images are compressed before upload.""".splitlines()
)
"""Rules of no project in particular; the nearest of them give a prompt's similarity to any rule."""
