"""Topics of software: groups of words that name one thing, so that "price" meets a rule about money."""

from __future__ import annotations

from collections.abc import Iterable

from contextd_code.text.words import content_words

_TOPICS = """
money price amount cost currency cents fee payment pay invoice billing total refund charge checkout
time timestamp date timezone utc datetime clock hour expiry created_at updated_at
dependency dependencies package library install npm pip yarn pnpm cargo composer poetry lockfile requirements pin
test tests spec coverage pytest jest unittest fixture assertion mock stub
log logging logger print console stdout println printf debug trace
exception exceptions catch try except throw raise error errors panic crash failure fail
commit commits message squash amend
push merge rebase deploy release publish ship rollout production
branch checkout worktree
database db sql query queries table row rows column columns insert select orm repository schema model
migration migrations alembic migrate schema column columns table alter ddl
endpoint endpoints api route routes handler controller view request rest resource
translation translations i18n locale localization localisation language german french label caption wording string strings
mail email smtp notification newsletter
image images picture photo avatar icon thumbnail asset cdn
password passwords login signin signup credential credentials secret secrets authentication auth hash
page pages pagination paginate offset cursor limit
queue worker job jobs task background cron scheduler async webhook
comment comments docstring docstrings javadoc phpdoc documentation document docs readme markdown
name names naming rename identifier call called
class classes inherit inheritance subclass extend extends composition base abstract
type types typing any unknown cast interface generic annotation hint hints untyped
component components button style styles css styling color colour layout render widget screen ui
state store global redux mobx context singleton
cache caches caching redis memcached ttl
transaction transactions atomic rollback
loop iterate iteration foreach bulk batch million huge large
folder directory file files path location
generated codegen generator
id key uuid primary autoincrement identifier
accessibility a11y aria screenreader keyboard
config configuration setting settings option options flag flags environment env variable toggle feature timeout
http https network fetch download client request requests call
privacy personal pii phone address gdpr
null none nil undefined optional nullable
format formatting lint linter formatter ruff prettier black eslint style
permission permissions role roles authorize authorization access admin
validate validation validator sanitize input form
thread threads lock concurrent concurrency race parallel mutex
performance slow fast speed n+1 eager lazy
import imports module export exports
refactor cleanup clean tidy simplify improve reformat
review pr pull
docker container containers image dockerfile compose kubernetes pod helm
ci pipeline workflow workflows actions runner
upload uploads download attachment multipart
session sessions cookie cookies
memory leak leaks allocation heap
number integer int float floats decimal decimals rounding precision
encrypt encrypted encryption decrypt tls ssl certificate
backup restore snapshot dump
sort sorting order ordering
search filter filters
event events listener subscriber handler callback hook hooks
service services business logic layer domain
hardcode hardcoded constant constants magic literal
delete deletes remove removal destroy drop purge
version versions semver changelog tag
benchmark profile profiling
regex pattern parse parser parsing
html markup tag template templates jsx
url urls link links href
json yaml xml serialize serialization payload
seed fixture fixtures factory factories sample
port host server localhost
user users customer customers account accounts
analytics telemetry tracking metrics monitoring
"""
# One topic a line. A word may stand in several.

_OF_WORD: dict[str, frozenset[int]] = {}
for _number, _line in enumerate(_TOPICS.strip().splitlines()):
    for _word in content_words(_line):
        _OF_WORD[_word] = _OF_WORD.get(_word, frozenset()) | {_number}


def topics(words: Iterable[str]) -> frozenset[int]:
    """The numbers of the topics that have one of these words, which are as `content_words` returns them."""
    return frozenset(topic for word in words for topic in _OF_WORD.get(word, ()))
