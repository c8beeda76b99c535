"""Says which lines of a file are valid by a schema: one digit each, by Debian's python3-jsonschema."""
import datetime
import json
import re
import sys

from jsonschema import Draft202012Validator, FormatChecker

TIME = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)")


# Debian's package leaves this format to another one, which it only recommends.
@FormatChecker.cls_checks("date-time", raises=ValueError)
def is_date_time(value):
    found = TIME.fullmatch(value) if isinstance(value, str) else None
    if found:
        datetime.date.fromisoformat(found[1])
        datetime.time.fromisoformat(found[2])
        if found[4] != "Z":
            datetime.time.fromisoformat(found[4][1:])
    return found is not None or not isinstance(value, str)


with open(sys.argv[1], encoding="utf-8") as file:
    schema = json.load(file)
with open(sys.argv[2], encoding="utf-8") as file:
    validator = Draft202012Validator(schema, format_checker=FormatChecker())
    print("".join("1" if validator.is_valid(json.loads(line)) else "0" for line in file))
