// The page at /verify: sends the input to auth and shows the response. Everything is shown as text, never as HTML.
const byId = (id) => document.getElementById(id)
const [form, receipt, file, value, salt, result] = [
  'form',
  'receipt',
  'file',
  'value',
  'salt',
  'result',
].map(byId)

const calendar = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'short',
  timeZone: 'UTC',
})

const element = (name, text) => Object.assign(document.createElement(name), { textContent: text })

function show(...elements) {
  result.replaceChildren(...elements)
  if (elements.length > 0) result.scrollIntoView({ block: 'nearest' }) // on a phone it is below the form
}

// The kind is never shown by colour alone: it has its own sign, and the heading says it in words.
const signs = { good: '✔', other: '⚠', bad: '✖' }

function verdict(kind, title, ...sentences) {
  const block = Object.assign(document.createElement('div'), { className: `verdict ${kind}` })
  const sign = element('span', `${signs[kind]} `)
  sign.setAttribute('aria-hidden', 'true')
  const heading = document.createElement('h2')
  heading.append(sign, title)
  block.append(heading, ...sentences.map((sentence) => element('p', sentence)))
  return block
}

function listed(title, sentences) {
  const list = document.createElement('ul')
  list.append(...sentences.map((sentence) => element('li', sentence)))
  return [element('h2', title), list]
}

async function take(chosen) {
  if (chosen === undefined) return
  const text = (await chosen.text()).trim()
  const isNote = readNote(text)
  const isRefused = !isNote && isOther(text)
  if (isNote || isRefused) file.value = '' // its name would claim to be that of the receipt
  if (!isNote) receipt.value = isRefused ? '' : text // with a note, the receipt in the form stays
}
receipt.addEventListener('input', () => (file.value = '')) // the text is no longer the file's

file.addEventListener('change', () => take(file.files[0]))
receipt.addEventListener('dragover', (event) => event.preventDefault())
receipt.addEventListener('drop', (event) => {
  if (event.dataTransfer.files.length === 0) return
  event.preventDefault()
  void take(event.dataTransfer.files[0])
})

form.addEventListener('input', () => show()) // removes the result, which is about the earlier input

// Enters the values of a file that the console has saved with the salt. Returns false for other text.
function readNote(text) {
  const after = (name) =>
    [...text.matchAll(new RegExp(`^${name}: (.*)$`, 'gm'))].map(([, one]) => one)
  const [salts, ids] = [after('Salt'), ['Erasure', 'Withdrawal', 'Record'].flatMap(after)]
  if (salts.length === 0) return false
  const nth = ids.indexOf(idIn(receipt.value))
  value.value = after('Person')[0] ?? ''
  salt.value = salts.length === 1 ? salts[0] : (salts[nth] ?? '')
  if (nth >= 0) {
    show(element('p', 'The value and the salt of this receipt are entered now.'))
    return true
  }
  const which = ids.map((id) => `receipt-${id}.jws`).join(' or ')
  show(
    verdict(
      'other',
      'This is the file with the salt, not the receipt',
      `Choose the receipt. Its name ends with ${which}. It is on the page Erasures of the console once the request is complete. ${
        salts.length === 1
          ? 'The value and the salt are entered now.'
          : 'Enter its salt: the file has one for each stream.'
      }`,
    ),
  )
  return true
}

/** The id of the erasure in a receipt. */
function idIn(text) {
  const [, claims = ''] = /eyJ[\w-]+\.([\w-]+)\./.exec(text) ?? []
  try {
    return JSON.parse(atob(claims.replaceAll('-', '+').replaceAll('_', '/'))).jti
  } catch {
    return undefined
  }
}

// What the console saves beside receipts, by its first line.
const others = [
  [
    /^value,reference,due,/,
    'These are the results of a file of people, not a receipt',
    'This file has the values and the salts, one line for each request. Enter those of a line below. ',
  ],
  [/^kind,reference,id,/, 'This is the list of requests, not a receipt', ''],
  [
    /^PK\W{2}/,
    'This is a zip file, not a receipt',
    'Unpack it: it contains a receipt for each request. Then choose one of them. ',
  ],
  [/^/, 'This is not a receipt', ''],
]

/** Whether the text contains no receipt. Then the page shows what it is, and what is needed. */
function isOther(text) {
  if (readNote(text)) return true
  if (/eyJ[\w-]{9}/.test(text)) return false
  const [, title, use] = others.find(([start]) => start.test(text.trim()))
  const needed =
    'A receipt is a file such as receipt-….jws, with one long text that starts with eyJ. It is on the page Erasures of the console once the request is complete.'
  show(verdict('other', title, `${use}${needed}`))
  return true
}

/** The console copies and prints the salt as «Salt: …». */
const plainSalt = () => salt.value.trim().replace(/^salt:\s*/i, '')

/** Removes the text around a receipt, such as that of a letter. */
function trimReceipt() {
  if (/^\s*eyJ[\w.\s-]*$/.test(receipt.value)) return
  receipt.value = /eyJ[\w-]+\.[\w-]+\.[\w-]+/.exec(receipt.value)?.[0] ?? receipt.value
}

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  if (isOther(receipt.value)) return
  trimReceipt()
  const isHalf = (value.value === '') !== (salt.value === '')
  if (isHalf)
    return show(
      element(
        'p',
        'Enter both the value and the salt, or neither: one proves nothing without the other.',
      ),
    )
  show(element('p', 'Checking …'))
  const about = value.value === '' ? {} : { value: value.value, salt: plainSalt() }
  try {
    const response = await fetch('v2/receipts/verify', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ receipt: receipt.value, ...about }),
    })
    const answer = await response.json()
    if (!response.ok)
      return show(element('p', answer.detail ?? 'The receipt could not be checked.'))
    showAnswer(answer)
  } catch {
    show(element('p', 'Weir does not answer. Try again.'))
  }
})

const invalid = {
  not_a_receipt: 'This is not a receipt, or it is incomplete or was changed',
  unknown_key: 'The receipt is not valid here: this Weir did not sign it',
  wrong_signature: 'The receipt is not valid: it was changed, or is not complete',
}

function showAnswer({ isValid, why, reason, title, warning, isAboutValue, ...text }) {
  if (!isValid) return show(verdict('bad', invalid[reason], `Why: ${why}.`))
  const about = {
    true: `It is about the value that you entered: ${value.value}`,
    false:
      'It is not about the value that you entered, or the salt is that of another request: each stream has its own. Spaces and upper and lower case count.',
    undefined:
      'It does not name the person. Enter the value and the salt to check whom it is about.',
  }[String(isAboutValue)]
  const signed = 'Weir signed it, and nothing in it was changed.'
  show(
    isAboutValue === false
      ? verdict('other', 'The receipt is genuine, but not about this value and salt', signed, about)
      : verdict('good', 'The receipt is genuine', signed, about),
    ...(warning === undefined ? [] : [verdict('bad', 'It may be undone', warning)]),
    printButton(),
    element('h2', title),
    ...listed('What it says', text.says),
    ...listed('What it does not say', text.doesNotSay),
    element('h2', 'The receipt itself'),
    element('pre', receipt.value.replace(/\s+/g, '')),
    element(
      'p',
      `Read at ${location.origin}${location.pathname} on ${calendar.format(new Date())} UTC.`,
    ),
    withoutThisPage(),
  )
}

function withoutThisPage() {
  const link = (path) => Object.assign(element('a', new URL(path, location.href)), { href: path })
  const sentence = element(
    'p',
    'To check it without this page: it is a JWS with an ES256 signature, which many programs can check. The public keys are at ',
  )
  sentence.append(link('.well-known/jwks.json'), '. What each part means: ', link(guide), '.')
  return sentence
}
const guide = 'docs/forgetting.html#receipts'

function printButton() {
  const button = Object.assign(element('button', 'Print'), { type: 'button' })
  button.addEventListener('click', () => print())
  return button
}

// A link may have the receipt after its #, which a browser sends to no server.
const linked = decodeURIComponent(location.hash.slice(1))
if (linked !== '') {
  receipt.value = linked
  form.requestSubmit()
}
