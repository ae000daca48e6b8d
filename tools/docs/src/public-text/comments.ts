// Extracts the comments of a source file. Successive lines of `//` (or `#`) are one comment.

/** Comments in strings count, too. `mark` is `#` for Python and shell. */
export function commentsOf(code: string, mark: '//' | '#' = '//'): string[] {
  const found = mark === '#' ? /^[ \t]*#[^\n]*(?:\n[ \t]*#[^\n]*)*/gm : inScript
  return [...code.matchAll(found)].map(([comment]) =>
    comment
      .split('\n')
      .map((line) => line.replace(/^\s*(?:\/\*+|\*+\/|\*|\/\/|#)?\s?/, '').replace(/\*+\/\s*$/, ''))
      .join(' ')
      .trim(),
  )
}

const inScript =
  /(?<=^|[\s{(,])\/\*[^]*?\*\/|^[ \t]*\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*|(?<=\s)\/\/ [^\n]*/gm
