// The search of the site. The script adds the field, so that a page without scripts has none. The index is loaded when
// the field gets the focus. `/` moves the focus to the field, the arrow keys move it through the results, Escape clears
// the field.
/* global document, URL */
const scriptUrl = document.currentScript.src
const resultsMax = 12
const stopWords = new Set(
  'a an and are at be by can do does for from how i in is it mean my of on or that the this to what when where which why with you'.split(
    ' ',
  ),
)
const field = document.createElement('input')
const status = document.createElement('p')
const list = document.createElement('ul')

Object.assign(field, { type: 'search', placeholder: 'Search  /', autocomplete: 'off' })
field.setAttribute('aria-label', 'Search the documents')
status.setAttribute('role', 'status')
list.setAttribute('aria-label', 'Results')
const search = document.createElement('search')
search.append(field, status, list)
document.querySelector('header').append(search)

field.addEventListener('focus', load, { once: true })
field.addEventListener('input', show)
document.addEventListener('keydown', (event) => {
  const isTyping = /^(input|textarea)$/i.test(event.target.tagName)
  if (event.key === '/' && !isTyping) field.focus()
  else if (!search.contains(event.target)) return
  else if (event.key === 'Escape') clear()
  else if (event.key === 'ArrowDown') move(1)
  else if (event.key === 'ArrowUp') move(-1)
  else if (event.key === 'Enter' && event.target === field) list.querySelector('a')?.click()
  else return
  event.preventDefault()
})

function load() {
  const script = document.createElement('script')
  script.src = new URL('search-index.js', scriptUrl).href
  script.addEventListener('load', show)
  document.head.append(script)
}

function show() {
  const index = globalThis.weirSearchIndex
  if (index === undefined) return
  const hits = hitsOf(index, field.value)
  status.textContent = field.value.trim() === '' ? '' : `${hits.length} found`
  list.replaceChildren(...hits.slice(0, resultsMax).map(itemOf))
}

/** Returns the entries with every word of the question but stop words, the best first. */
function hitsOf(index, question) {
  const typed = question.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []
  const telling = typed.filter((word) => !stopWords.has(word))
  const words = (telling.length > 0 ? telling : typed).map((word) => spellingsOf(index, word))
  const found = words.length === 0 ? [] : index.map((entry) => [scoreOf(entry, words), entry])
  return found
    .filter(([score]) => score > 0)
    .sort(([a], [b]) => b - a)
    .map(([, entry]) => entry)
}

/**
 * Returns the stem of the word. If the word is long and on no page, returns the stems of all words that differ from it
 * by one typo.
 */
function spellingsOf(index, word) {
  const stem = stemOf(word)
  const texts = index.map(({ page, heading, text }) => `${page} ${heading} ${text}`.toLowerCase())
  if (word.length < 6 || texts.some((text) => text.includes(stem))) return [stem]
  const known = new Set(texts.flatMap((text) => text.match(/[\p{L}\p{N}]+/gu) ?? []))
  return [...known].filter((other) => isOneTypo(word, other)).map(stemOf)
}

/** Whether one letter is wrong, missing or extra, or two neighbours are swapped. */
function isOneTypo(a, b) {
  let at = 0
  while (at < a.length && a[at] === b[at]) at += 1
  const [x, y] = [a.slice(at), b.slice(at)]
  if ([x.slice(1), x].includes(y.slice(1)) || x.slice(1) === y) return true
  return x[0] === y[1] && x[1] === y[0] && x.slice(2) === y.slice(2)
}

/** Removes endings, so that «erase» also finds «erasing» and «erasure». */
function stemOf(word) {
  return word.replace(/(?<=\w{4})(ing|ed|es|e|s)$/, '')
}

/** Returns 0 if a word is missing. Guides score higher, and the pages for Weir's developers score much lower. */
function scoreOf({ href, page, heading, text, isGuide }, words) {
  const scores = words.map((spellings) => {
    const timesIn = (part) =>
      Math.max(0, ...spellings.map((word) => part.toLowerCase().split(word).length - 1))
    const inText = Math.min(timesIn(text), 3)
    if (timesIn(heading) > 0) return 16 + inText
    if (timesIn(page) > 0) return (heading === '' ? 16 : 4) + inText
    return inText
  })
  if (scores.length === 0 || scores.includes(0)) return 0
  const sum = scores.reduce((total, score) => total + score)
  return /^(tools|packages)\//.test(href) ? sum / 100 : sum + (isGuide ? 4 : 0)
}

function itemOf({ href, page, heading }) {
  const item = document.createElement('li')
  const link = document.createElement('a')
  link.href = new URL(href, scriptUrl).href
  link.textContent = heading === '' ? page : `${page}: ${heading}`
  item.append(link)
  return item
}

function move(step) {
  const places = [field, ...list.querySelectorAll('a')]
  places[places.indexOf(document.activeElement) + step]?.focus()
}

function clear() {
  field.value = ''
  show()
  field.focus()
}
