"""python3 reference.py FILE: answers look-ups, a list of them in JSON on standard input, from a SQLite file of users."""
import json, sqlite3, sys, unicodedata

ALONE = ("CJK UNIFIED", "HIRAGANA LETTER", "KATAKANA LETTER", "THAI", "LAO", "KHMER", "MYANMAR")


def fold(text):
    for _ in range(2):
        text = "".join(c for c in unicodedata.normalize("NFKD", text) if unicodedata.category(c)[0] != "M").casefold()
    return text.replace("ı", "i")


def words(text):
    """In order: runs of letters and digits; and each character of writing without spaces, with the two behind it in its run."""
    runs, before = [], None
    for c in fold(text or ""):
        is_alone = unicodedata.category(c) == "So" or unicodedata.name(c, "").startswith(ALONE)
        kind = "alone" if is_alone else "plain" if unicodedata.category(c)[0] in "LN" else None
        if kind != before or not runs:
            runs.append([kind, ""])
        runs[-1][1] += c
        before = kind
    return [word for kind, run in runs if kind for word in ([run] if kind == "plain" else [run[at : at + 3] for at in range(len(run))])]


db = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
db.create_function("words", 4, lambda *names: json.dumps(sorted({word for name in names for word in words(name)})))
db.execute("PRAGMA temp_store = MEMORY")
db.execute("CREATE TEMP TABLE has AS SELECT users.id, value AS word FROM users, json_each(words(username, first_name, last_name, display_name))")
db.execute("CREATE INDEX temp.by_word ON has (word, id)")
ORDER = "ORDER BY date_joined DESC, id"


def look_up(kind, text):
    if kind == "get":
        return db.execute("SELECT id FROM users WHERE id = ?", [text])
    if kind == "key":
        return db.execute(f"SELECT id FROM users WHERE substr(id, 1, length(?1)) = ?1 {ORDER}", [text])
    wanted = words(text)
    begins = [at == len(wanted) - 1 or unicodedata.name(word[0], "").startswith(ALONE) or unicodedata.category(word[0]) == "So" for at, word in enumerate(wanted)]
    has = {True: "word >= ?1 AND substr(word, 1, length(?1)) = ?1", False: "word = ?1"}
    found = [{id for id, in db.execute(f"SELECT id FROM has WHERE {has[begin]}", [word])} for word, begin in zip(wanted, begins)]
    if not found:
        return []
    of_all = json.dumps(sorted(set.intersection(*found)))
    return db.execute(f"SELECT id FROM users WHERE id IN (SELECT value FROM json_each(?)) {ORDER}", [of_all])


json.dump([[id for id, in look_up(*one)] for one in json.load(sys.stdin)], sys.stdout)
