"""python3 reference.py FILE: answers look-ups, a list of them in JSON on standard input, from a SQLite file of users."""
import json, sqlite3, sys, unicodedata

ALONE = ("CJK UNIFIED", "HIRAGANA LETTER", "KATAKANA LETTER", "THAI", "LAO", "KHMER", "MYANMAR")


def fold(text):
    for _ in range(2):
        text = "".join(c for c in unicodedata.normalize("NFKD", text) if unicodedata.category(c)[0] != "M").casefold()
    return text.replace("ı", "i")


def words(text):
    """In order: runs of letters and digits, and characters that stand alone."""
    found = [""]
    for c in fold(text or ""):
        if unicodedata.category(c) == "So" or unicodedata.name(c, "").startswith(ALONE):
            found += [c, ""]
        elif unicodedata.category(c)[0] in "LN":
            found[-1] += c
        else:
            found.append("")
    return [word for word in found if word]


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
    *whole, last = words(text) or [None]
    named = "".join("id IN (SELECT id FROM has WHERE word = ?) AND " for _ in whole)
    begins = "id IN (SELECT id FROM has WHERE word >= ? AND substr(word, 1, ?) = ?)"
    return db.execute(f"SELECT id FROM users WHERE {named} {begins} {ORDER}", [*whole, last, len(last or ""), last])


json.dump([[id for id, in look_up(*one)] for one in json.load(sys.stdin)], sys.stdout)
