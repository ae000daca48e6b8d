// Converts any name into a TypeScript identifier that is unique within a file.

const identifier = /^[A-Za-z_$][\w$]*$/

/** Reserved words, and names that the file already uses. */
const taken = `
  any arguments as async await bigint boolean break case catch class const continue debugger declare default delete do else
  enum eval export extends false finally for from function get if implements import in infer instanceof interface is keyof
  let module namespace never new null number object of package private protected public readonly return satisfies set
  static string super switch symbol this throw true try type typeof undefined unique unknown using var void while with yield
  Array Buffer Contract Object Readonly Record String`
  .trim()
  .split(/\s+/)

/** Returns a function that returns `wish`, with a number if this name is in use. */
export function createNames(): (wish: string) => string {
  const used = new Set(taken)
  return (wish) => {
    let name = wish
    for (let number = 2; used.has(name); number += 1) name = `${wish}${number}`
    used.add(name)
    return name
  }
}

const wordsOf = (text: string): string[] =>
  text.split(/[^A-Za-z0-9$]+/).filter((word) => word !== '')
const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

/** `demo_event` becomes DemoEvent. */
export function typeName(text: string): string {
  const name = wordsOf(text).map(capital).join('')
  return identifier.test(name) ? name : `Type${name}`
}

/** `demo/event/1.0.0` becomes demoEvent100. */
export function constantName(text: string): string {
  const [first = '', ...rest] = wordsOf(text)
  const name = first.charAt(0).toLowerCase() + first.slice(1) + rest.map(capital).join('')
  return identifier.test(name) ? name : `contract${capital(name)}`
}

export const memberName = (text: string): string =>
  identifier.test(text) ? text : stringLiteral(text)

export function stringLiteral(text: string): string {
  const inner = JSON.stringify(text)
    .slice(1, -1)
    .replaceAll('\\"', '"')
    .replaceAll("'", "\\'")
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029')
  return `'${inner}'`
}
