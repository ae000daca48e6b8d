// Words that public text no longer uses, each with its replacement (docs/glossary.md). Names on the wire remain, so
// text between backticks, such as `_ring/open/1` or `/dead`, is not checked.

type Retired = { readonly pattern: RegExp; readonly instead: string }

const retired: readonly Retired[] = [
  { pattern: /\b(?:un|re)?seal(?:s|ed|ing|er)?\b/i, instead: 'encrypt' },
  {
    pattern:
      /\bopen(?:s|ed|ing)? (?:(?:the|a|an|its|their|all|any|no|those|these|some|old|sealed) )*(?:fields?|values?|levels?)\b/i,
    instead: 'decrypt',
  },
  {
    pattern: /\b(?:fields?|values?|levels?|events?)\b[^.;:]{0,40}\b(?:opened|left open)\b/i,
    instead: 'decrypted',
  },
  { pattern: /^opens (?=…)|\bopened (?:at|up to) (?:its |their )?level/i, instead: 'decrypted' },
  { pattern: /\brings?\b/i, instead: 'wrapping key' },
  {
    pattern: /\bparts? (?:of (?:an era|keys)|lie|under)\b|\bkey parts?\b|\bevery part\b/i,
    instead: 'key record',
  },
  { pattern: /\bstewards?(?:hip)?\b/i, instead: 'controller' },
  {
    pattern: /\ba round of\b|\brounds? (?:of (?:a|the) deriver|a second|that)\b/i,
    instead: 'reconcile loop, or attempt',
  },
  { pattern: /\bparked\b|\bparks? (?:a |the )?records?\b/i, instead: 'dead-lettered' },
  { pattern: /\bdead topics?\b/i, instead: 'dead letter topic' },
  { pattern: /\bdead records?\b/i, instead: 'dead-lettered record' },
  { pattern: /\bkeepAlive\b|\bkeep-alive loop\b/, instead: 'supervisor' },
  {
    pattern: /\bTokenDesk\b|\btoken desk\b|\bprovers?\b/i,
    instead: 'token service, authenticator',
  },
  { pattern: /\blookAgain\b|\blook(?:s|ing)? again\b/i, instead: 'refresh' },
  { pattern: /\bno_answer\b/, instead: 'unreachable' },
  { pattern: /\bused_wrongly\b|\bused wrongly\b/, instead: 'usage_error' },
  { pattern: /^Forget$/, instead: 'Erase' },
  { pattern: /\bsince you came\b/i, instead: 'received' },
  { pattern: /\bmake the (?:output|stream)\b/i, instead: 'Create output, Create stream' },
  { pattern: /\b(?:is|are|was|were) made\b(?! (?:of|up|good|to)\b)/i, instead: 'is created' },
  { pattern: /\bit begins\b/i, instead: 'Start from, or: it starts' },
  { pattern: /\bawaits\b|\bwho await\b/i, instead: 'waits for' },
  { pattern: /\bto be had\b/i, instead: 'reachable, or: available' },
  { pattern: /\bas (?:it|they) (?:came|come|comes)\b/i, instead: 'as received' },
  {
    pattern: /\bby (?:itself|themselves)\b/i,
    instead: 'automatically, or the word for what starts it',
  },
  { pattern: /\bgo(?:es)? on\b|\bgoing on\b|\bwent on\b/i, instead: 'continue' },
  { pattern: /\banew\b/i, instead: 'again' },
  { pattern: /\bwhoever\b|\bwhosoever\b/i, instead: 'anyone who, or the role of that person' },
  { pattern: /\bat hand\b/i, instead: 'available' },
  { pattern: /\bturned away\b|\bputs? us off\b/i, instead: 'refused, delayed' },
  { pattern: /\bmend(?:s|ed|ing)?\b/i, instead: 'correct, fix' },
  { pattern: /\btak(?:e|es|en|ing) away\b/i, instead: 'remove' },
  { pattern: /\blikewise\b/i, instead: 'in the same way' },
  { pattern: /\bhence\b/i, instead: 'so, or because' },
  { pattern: /\bno sign of life\b/i, instead: 'no message' },
  {
    pattern: /\b(?:is|are|was|were) told\b/i,
    instead: 'is described, is logged, is shown, or gets the error',
  },
  {
    pattern: /\b(?:take|takes|taken|took|taking)(?: over)?(?: [\w']+){0,3} partitions?\b/i,
    instead: 'acquire a partition',
  },
  { pattern: /\banswer(?:s|ed|ing)?(?: with)? [1-5]\d\d\b/i, instead: 'returns, or gets' },
  { pattern: /\bat once\b/i, instead: 'immediately, in one request, or at the same time' },
  { pattern: /\bone (?:of|in) a hundred\b/i, instead: '1 %' },
  { pattern: /\bone [\w-]+ a line\b|\ba line each\b/i, instead: 'one … per line' },
  { pattern: /\bsome (?:milli)?seconds\b/i, instead: 'a few seconds' },
  { pattern: /\bthe log (?:says|tells)\b/i, instead: 'the log contains, or: see the log' },
  { pattern: /\bthe service output\b/i, instead: 'the output service' },
]

export function retiredWordsIn(text: string): string[] {
  const plain = text.replace(/`[^`]*`/g, '`…`')
  return retired.flatMap(({ pattern, instead }) => {
    const [found] = pattern.exec(plain) ?? []
    return found === undefined ? [] : [`«${found}»: write «${instead}»`]
  })
}
