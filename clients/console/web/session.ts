// Who is signed in, and what each page gets of it.
import type { Calls } from './api/calls.ts'
import type { Place } from './place.ts'

export type Session = { readonly billingId: string; readonly calls: Calls }
export type PageProps = { readonly session: Session; readonly place: Place }
