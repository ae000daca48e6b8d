// Renders an OpenAPI document as a page: its operations by group, and its schemas. Supports only what document.ts
// generates. The page needs no scripts.
import { escapeHtml } from '../markdown.ts'
import { pageOf } from '../page.ts'
import type { PageLink } from '../page.ts'
import type { JsonSchema } from './types.ts'

export type ApiPage = {
  readonly document: JsonSchema
  /** The URL of the machine-readable document. */
  readonly documentHref?: string
  readonly styleHref: string
  readonly scriptHref?: string
  readonly home: PageLink
  readonly pageOfCode: (code: string) => string
}

export function apiPageOf(page: ApiPage): string {
  const { document, documentHref = '/openapi.json' } = page
  const info = partsOf(document['info'])
  const groups = listIn(document['tags']).map(partsOf)
  const operations = operationsIn(document)
  const body = [
    `<h1>${textIn(info, 'title')}</h1>`,
    `<p>${textIn(info, 'description')}</p>`,
    `<p>The same for programs: <a href="${escapeHtml(documentHref)}">openapi.json</a>, OpenAPI 3.1.</p>`,
    ...groups.flatMap((group) => [
      `<h2 id="${textIn(group, 'name')}">${textIn(group, 'name')}</h2>`,
      `<p>${textIn(group, 'description')}</p>`,
      ...operations
        .filter(({ operation }) => listIn(operation['tags'])[0] === group['name'])
        .map((each) => operationHtml(each, page)),
    ]),
    '<h2 id="schemas">Schemas</h2>',
    ...Object.entries(partsOf(partsOf(document['components'])['schemas'])).map(schemaHtml),
  ].join('\n')
  const groupLinks = [...groups.map((group) => textIn(group, 'name')), 'schemas'].map((name) => ({
    href: `#${name}`,
    text: name,
  }))
  return pageOf({
    title: `${textIn(info, 'title')} API`,
    body,
    styleHref: page.styleHref,
    scriptHref: page.scriptHref,
    home: page.home,
    links: groupLinks,
  })
}

type Parts = Readonly<Record<string, unknown>>
type Each = { readonly method: string; readonly path: string; readonly operation: Parts }

function operationsIn(document: JsonSchema): readonly Each[] {
  return Object.entries(partsOf(document['paths'])).flatMap(([path, methods]) =>
    Object.entries(partsOf(methods)).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation: partsOf(operation),
    })),
  )
}

function operationHtml(
  { method, path, operation }: Each,
  { pageOfCode, document }: ApiPage,
): string {
  const keys = listIn(operation['security']).flatMap((each) => Object.keys(partsOf(each)))
  const parameters = listIn(operation['parameters']).map(partsOf)
  const body = partsOf(partsOf(operation['requestBody'])['content'])
  const responses = Object.entries(partsOf(operation['responses']))
  return [
    `<details id="${textIn(operation, 'operationId')}"><summary><span class="method">${method}</span> ` +
      `<code>${escapeHtml(path)}</code> ${textIn(operation, 'summary')}</summary>`,
    `<p>Needs: ${keys.length === 0 ? 'nothing' : escapeHtml(keys.join(' or '))}. ${textIn(operation, 'description')}</p>`,
    parameters.length === 0 ? '' : `<ul>${parameters.map(parameterHtml).join('')}</ul>`,
    Object.keys(body).length === 0 ? '' : `<p>Takes ${contentHtml(body)}</p>`,
    `<ul>${responses.map(([status, response]) => responseHtml(status, found(response, document), pageOfCode)).join('')}</ul>`,
    '</details>',
  ].join('\n')
}

/** Returns a response, or the component that it refers to. */
function found(response: unknown, document: JsonSchema): Parts {
  const parts = partsOf(response)
  const name = nameIn(parts['$ref'])
  if (name === undefined) return parts
  return partsOf(partsOf(partsOf(document['components'])['responses'])[name])
}

const parameterHtml = (parameter: Parts): string =>
  `<li><code>${textIn(parameter, 'name')}</code> in the ${textIn(parameter, 'in')}: ` +
  `${textIn(parameter, 'description')} ${schemaText(parameter['schema'])}</li>`

function responseHtml(
  status: string,
  response: Parts,
  pageOfCode: (code: string) => string,
): string {
  const says = textIn(response, 'description')
  const [, codes] = /^Refused: (.*)$/.exec(says) ?? []
  if (codes === undefined)
    return `<li>${status}: ${says} ${contentHtml(partsOf(response['content']))}</li>`
  const links = codes
    .split(', ')
    .map((code) => `<a href="${escapeHtml(pageOfCode(code))}">${code}</a>`)
  return `<li>${status}: ${links.join(', ')}</li>`
}

const contentHtml = (content: Parts): string =>
  Object.entries(content)
    .map(([type, of]) => `${escapeHtml(type)} ${schemaText(partsOf(of)['schema'])}`)
    .join(', or ')

/** Returns the name of a schema as a link, or the schema itself. */
function schemaText(schema: unknown): string {
  const parts = partsOf(schema)
  const name = nameIn(parts['$ref'])
  if (name !== undefined) return `<a href="#schema-${name}">${name}</a>`
  const ofItems = nameIn(partsOf(parts['items'])['$ref'])
  if (ofItems !== undefined) return `list of <a href="#schema-${ofItems}">${ofItems}</a>`
  return `<code>${escapeHtml(JSON.stringify(parts))}</code>`
}

const schemaHtml = ([name, schema]: [string, unknown]): string =>
  `<details id="schema-${escapeHtml(name)}"><summary><code>${escapeHtml(name)}</code></summary>` +
  `<pre><code>${escapeHtml(JSON.stringify(schema, null, 2))}</code></pre></details>`

const nameIn = (ref: unknown): string | undefined =>
  typeof ref === 'string' ? escapeHtml(ref.slice(ref.lastIndexOf('/') + 1)) : undefined

const textIn = (parts: Parts, name: string): string => {
  const value = parts[name]
  return typeof value === 'string' ? escapeHtml(value) : ''
}

const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Returns the members of an object; empty for any other value. */
const partsOf = (value: unknown): Parts =>
  typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {}
