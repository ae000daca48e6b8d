#!/usr/bin/env bash
# Builds HashiCorp Vault from its Go modules into .weir/vault, once, for the tests of keys that it holds: minutes on
# two cores, kindly. Without its plug-ins, which are most of it. What goes wrong is in .weir/vault/log; the tests then
# say that they were not run.
set -euo pipefail
cd "$(dirname "$0")/../../.."

version=v1.21.2
module=github.com/hashicorp/vault
folder=$PWD/.weir/vault
[ -e "$folder/$version" ] && exit 0

mkdir -p "$folder"
exec >"$folder/log" 2>&1
trap 'rm -rf "$folder/building" "$folder/source"' EXIT
echo $$ >"$folder/building"
rm -rf "$folder/source"
cd "$folder"
from=$(go mod download -json "$module@$version" | sed -n 's/^[[:space:]]*"Dir": "\(.*\)",$/\1/p')
cp -r "$from" source
chmod -R u+w source
cd source
# In its own repository these are folders beside it; the module has them as modules of their own.
for part in api api/auth/approle api/auth/kubernetes api/auth/userpass sdk; do
  go mod edit -dropreplace "$module/$part"
done
CGO_ENABLED=0 go build -mod=mod -buildvcs=false -tags minimal -trimpath -ldflags '-s -w' -o "$folder/vault.new" .
mv "$folder/vault.new" "$folder/$version"
