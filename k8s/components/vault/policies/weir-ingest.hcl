# ingest unwraps the keys that it encrypts with, but never weir-sign, which protects the keys that sign tokens and
# receipts.
path "transit/decrypt/weir-link" { capabilities = ["update"] }
path "transit/decrypt/weir-open" { capabilities = ["update"] }
path "transit/decrypt/weir-levels" { capabilities = ["update"] }
