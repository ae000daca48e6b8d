# Decrypts fields with Google's Tink. Reads JSON, {keyset, fields: [{path, text}]}, from stdin. Writes the values to
# stdout, with null for each text that Tink refuses.
import base64
import json
import sys

import tink
from tink import daead, secret_key_access

daead.register()
asked = json.load(sys.stdin)
handle = tink.json_proto_keyset_format.parse(json.dumps(asked["keyset"]), secret_key_access.TOKEN)
primitive = handle.primitive(daead.DeterministicAead)


def opened(field):
    try:
        sealed = base64.b64decode(field["text"], validate=True)
        return primitive.decrypt_deterministically(sealed, field["path"].encode()).decode()
    except tink.TinkError:
        return None


print(json.dumps([opened(field) for field in asked["fields"]]))
