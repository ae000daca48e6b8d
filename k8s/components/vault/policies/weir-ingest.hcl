# ingest unwraps what it encrypts with. Never weir-sign, which signs tokens and receipts.
path "transit/decrypt/weir-link" { capabilities = ["update"] }
path "transit/decrypt/weir-open" { capabilities = ["update"] }
path "transit/decrypt/weir-levels" { capabilities = ["update"] }
