// The minimum length of a platform key, in the environment or in its file: 192 bits in base64.
export const platformKeyCharsMin = 32
export const platformKeyRule = `it must have ${platformKeyCharsMin} characters or more, chosen at random: openssl rand -base64 32`
