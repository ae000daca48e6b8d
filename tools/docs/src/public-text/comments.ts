// The comments of a source file, each as one text: lines of `//` (or `#`) that follow each other are one comment.

/** The comments of TypeScript, JavaScript and CSS, or of Python if `mark` is `#`. Counts comments in strings, too. */
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
