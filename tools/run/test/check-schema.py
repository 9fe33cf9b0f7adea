"""check-schema.py SCHEMA valid|invalid FILE...: checks the verdict of the schema on each file."""
import json
import sys

import fastjsonschema

validate = fastjsonschema.compile(json.load(open(sys.argv[1])))
bad = 0
for name in sys.argv[3:]:
    why = None
    try:
        validate(json.load(open(name)))
    except fastjsonschema.JsonSchemaValueException as error:
        why = error.message
    if (why is None) != (sys.argv[2] == "valid"):
        print(f"{name}: {why or 'the schema accepts it'}")
        bad += 1
sys.exit(bad > 0 or len(sys.argv) < 4)
