"""Adds ACLs, read as JSON from stdin, to the broker whose address is the argument."""

import json
import sys

from confluent_kafka.admin import (
    AclBinding,
    AclOperation,
    AclPermissionType,
    AdminClient,
    ResourcePatternType,
    ResourceType,
)

admin = AdminClient({"bootstrap.servers": sys.argv[1]})
bindings = [
    AclBinding(
        ResourceType[acl["type"]],
        acl["name"],
        ResourcePatternType[acl["pattern"]],
        acl["principal"],
        "*",
        AclOperation[acl["operation"]],
        AclPermissionType[acl["permission"]],
    )
    for acl in json.load(sys.stdin)
]
for future in admin.create_acls(bindings, request_timeout=30).values():
    future.result()
print(len(bindings))
