# auth wraps and unwraps, and lists the versions: only this shows when one no longer exists.
path "transit/encrypt/weir-sign" { capabilities = ["update"] }
path "transit/encrypt/weir-link" { capabilities = ["update"] }
path "transit/encrypt/weir-open" { capabilities = ["update"] }
path "transit/encrypt/weir-levels" { capabilities = ["update"] }
path "transit/decrypt/weir-sign" { capabilities = ["update"] }
path "transit/decrypt/weir-link" { capabilities = ["update"] }
path "transit/decrypt/weir-open" { capabilities = ["update"] }
path "transit/decrypt/weir-levels" { capabilities = ["update"] }
path "transit/keys/weir-sign" { capabilities = ["read"] }
path "transit/keys/weir-link" { capabilities = ["read"] }
path "transit/keys/weir-open" { capabilities = ["read"] }
path "transit/keys/weir-levels" { capabilities = ["read"] }
