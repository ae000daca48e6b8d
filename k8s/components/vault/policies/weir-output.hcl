# output unwraps the keys that it decrypts with, but never weir-sign, and never weir-link, which protects the keys that
# lead from a person to their keyLinks.
path "transit/decrypt/weir-open" { capabilities = ["update"] }
path "transit/decrypt/weir-levels" { capabilities = ["update"] }
