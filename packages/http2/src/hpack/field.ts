// A header field, and its size for limits (RFC 7541 4.1).

export type Field = { readonly name: string; readonly value: string }

export const fieldOverhead = 32
export const fieldSize = ({ name, value }: Field): number =>
  name.length + value.length + fieldOverhead
