// The search of the site. It adds its field to the page, so that a page without scripts has none. The index is loaded
// when the field gets the focus. `/` goes to the field, the arrow keys to the results, Escape back.
/* global document, URL */
const scriptUrl = document.currentScript.src
const resultsMax = 12
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
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean).map(stemOf)
  const index = globalThis.weirSearchIndex
  if (index === undefined) return
  const found = words.length === 0 ? [] : index.map((entry) => [scoreOf(entry, words), entry])
  const hits = found.filter(([score]) => score > 0).sort(([a], [b]) => b - a)
  status.textContent = words.length === 0 ? '' : `${hits.length} found`
  list.replaceChildren(...hits.slice(0, resultsMax).map(([, entry]) => itemOf(entry)))
}

/** «erase» finds «erasing» and «erasure», too. */
function stemOf(word) {
  return word.replace(/(?<=\w{4})(ing|ed|es|e|s)$/, '')
}

/** 0 if a word is missing. Guides come first among equals, then what the index of pages names first. */
function scoreOf({ page, heading, text, isGuide }, words) {
  const scores = words.map((word) => {
    const inText = Math.min(text.toLowerCase().split(word).length - 1, 3)
    if (heading.toLowerCase().includes(word)) return 8 + inText
    if (page.toLowerCase().includes(word)) return (heading === '' ? 8 : 3) + inText
    return inText
  })
  return scores.includes(0) ? 0 : scores.reduce((sum, score) => sum + score) + (isGuide ? 4 : 0)
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
