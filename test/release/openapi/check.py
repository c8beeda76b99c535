"""Says which lines of a file are valid by a schema: one digit each, by Debian's python3-jsonschema."""
import json
import sys

from jsonschema import Draft202012Validator

with open(sys.argv[1], encoding="utf-8") as file:
    schema = json.load(file)
with open(sys.argv[2], encoding="utf-8") as file:
    validator = Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)
    print("".join("1" if validator.is_valid(json.loads(line)) else "0" for line in file))
