// The code blocks of a document. A test checks that a test runs each block. If a block can't run in tests, the document
// says why after it: `_Not run by the tests: why._`

export type CodeBlock = {
  readonly line: number
  readonly language: string
  readonly text: string
  /** The given reason for not running the block; undefined if there is none. */
  readonly notRun: string | undefined
}

export function codeBlocksOf(markdown: string): CodeBlock[] {
  const lines = markdown.split('\n')
  const blocks: CodeBlock[] = []
  for (let at = 0; at < lines.length; at += 1) {
    const [, fence, language = ''] = /^(`{3,})(\w*)$/.exec(lines[at] ?? '') ?? []
    if (fence === undefined) continue
    const end = lines.indexOf(fence, at + 1)
    if (end === -1) break
    const after = lines.slice(end + 1).find((line) => line !== '') ?? ''
    const [, notRun] = /^_Not run by the tests: (.{10,})\._$/.exec(after) ?? []
    blocks.push({ line: at + 1, language, text: lines.slice(at + 1, end).join('\n'), notRun })
    at = end
  }
  return blocks
}

const code = new Set(['sh', 'bash', 'console', 'python', 'js', 'ts'])
const beginsLikeACommand =
  /^(\$ |(npm|npx|weir|docker|kubectl|curl|node|bash|git|python3?|\.weir\/python\S*) |[A-Z][A-Z_]+=\S+ \S)/

/** Commands that tools/testkit/ci/prepare.sh runs before the tests. */
const onlyInstalls = /^\$ python3 -m venv \S+ && \S+\/pip install .*$/

/** Returns true for programs, and for commands other than such an installation. */
export function isCode({ language, text }: CodeBlock): boolean {
  if (onlyInstalls.test(text)) return false
  const isTyped = text.split('\n').some((line) => beginsLikeACommand.test(line))
  return code.has(language) || (language === '' && isTyped)
}
