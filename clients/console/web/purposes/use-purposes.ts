// The account's purposes, which each page loads. Without them, levels are numbers.
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Purpose } from '../api/account.ts'
import type { Loaded } from '../ui/use-load.ts'
import { levelWordsOf } from './level-words.ts'
import type { LevelWords } from './level-words.ts'

const none: Loaded<readonly Purpose[]> = { value: undefined, error: undefined, reload() {} }

export const Purposes = createContext(none)

export const usePurposes = (): Loaded<readonly Purpose[]> => useContext(Purposes)

export const useLevelWords = (): LevelWords => levelWordsOf(usePurposes().value ?? [])
