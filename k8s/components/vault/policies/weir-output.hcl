# output unwraps what it decrypts with. Never weir-sign, and never weir-link, which leads from a person to their keyLinks.
path "transit/decrypt/weir-open" { capabilities = ["update"] }
path "transit/decrypt/weir-levels" { capabilities = ["update"] }
