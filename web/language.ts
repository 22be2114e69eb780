/** Translations of the pages. A language is a file in `messages/`, named by its tag. Missing texts are shown in English. */
import type { ComponentChild } from 'preact'
import english from './messages/en.json'
import type { TextKey } from './text-keys.js'

/** Keys of texts with a form per plural category: `rows` for `rows.one` and `rows.other`. */
export type PluralKey = TextKey extends infer Each ? (Each extends `${infer Base}.one` ? Base : never) : never
/** Keys of texts; plural ones without their category. */
export type Key = Exclude<TextKey, `${PluralKey}.${Intl.LDMLPluralRule}`> | PluralKey
type Given<K extends Key, Value> = K extends PluralKey
  ? [values: Readonly<Record<string, Value>> & { readonly count: number }]
  : [values?: Readonly<Record<string, Value>>]
export type Messages = Readonly<Record<string, string>>
/** Files of texts that are loaded when needed, by path: `…/{tag}.json`. */
export type TextFiles = Readonly<Record<string, () => Promise<Messages>>>

const files: TextFiles = import.meta.glob<Messages>(['./messages/*.json', '!./messages/en.json'], {
  import: 'default'
})
const getTag = (path: string): string => path.slice(path.lastIndexOf('/') + 1, -'.json'.length)

/** Tags of all available languages, sorted by their own names. */
export const languages: readonly string[] = ['en', ...Object.keys(files).map(getTag)].toSorted((a, b) =>
  getLanguageName(a).localeCompare(getLanguageName(b))
)

let current = 'en'
let messages: Messages = english
/** Text files of modules loaded so far. */
const loadedModules: TextFiles[] = []

/** Returns the current language. */
export function getLanguage(): string {
  return current
}

/**
 * Switches to the first of the wanted languages that is available, or English, and loads its texts. `fr-CH`
 * falls back to `fr`.
 */
export async function setLanguage(wanted: readonly string[]): Promise<void> {
  const tags = wanted.flatMap(tag => [tag, tag.split(/[-_]/)[0]!.toLowerCase()])
  const tag = tags.find(each => languages.includes(each)) ?? 'en'
  const read = await Promise.all([files, ...loadedModules].map(async each => await readTexts(each, tag)))
  messages = Object.assign({}, english, ...read) as Messages
  current = tag
  document.documentElement.lang = tag
}

/**
 * Loads the texts of a module, in the current language and after changes of the language. Does nothing for a
 * module that is loaded already.
 */
export async function addTexts(moduleFiles: TextFiles): Promise<void> {
  if (loadedModules.includes(moduleFiles)) return
  const tag = current
  const read = await readTexts(moduleFiles, tag)
  // The language has changed in the meantime.
  if (tag !== current) return await addTexts(moduleFiles)
  loadedModules.push(moduleFiles)
  messages = { ...messages, ...read }
}

/**
 * Returns a function that loads the texts of one of several modules, which are folders beside the caller. It does nothing
 * if they are loaded already, and rejects if they cannot be loaded.
 */
export function createTextLoader(moduleFiles: TextFiles): (module: string) => Promise<void> {
  const filesByModule = new Map<string, TextFiles>()
  return async module => {
    // One object for each module, because loaded files are recognized by identity.
    let own = filesByModule.get(module)
    if (!own) {
      own = Object.fromEntries(
        Object.entries(moduleFiles).filter(([path]) => path.startsWith(`./${module}/`))
      )
      filesByModule.set(module, own)
    }
    await addTexts(own)
  }
}

/** Reads the texts in a language, or in English if there are none. */
async function readTexts(textFiles: TextFiles, tag: string): Promise<Messages> {
  const find = (wanted: string) => Object.keys(textFiles).find(path => getTag(path) === wanted)
  const path = find(tag) ?? find('en')
  return path === undefined ? {} : await textFiles[path]!()
}

/** Returns the name of a language in that language. */
export function getLanguageName(tag: string): string {
  const name = new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? tag
  return name[0]!.toLocaleUpperCase(tag) + name.slice(1)
}

/**
 * Returns a text, with placeholders such as `{name}` replaced by values. Numbers are formatted for the
 * reader; `count` also chooses the plural form. A placeholder without a value stays.
 */
export function t<K extends Key>(key: K, ...[values = {}]: Given<K, string | number>): string {
  return findText(key, values['count']).replaceAll(/\{(\w+)\}/g, (whole, name: string) =>
    String(formatValue(values[name] ?? whole))
  )
}

/** Like {@link t}, for values that are elements rather than text. */
export function rich<K extends Key>(key: K, ...[values = {}]: Given<K, ComponentChild>): ComponentChild[] {
  return findText(key, values['count'])
    .split(/\{(\w+)\}/)
    .map((part, index) => (index % 2 === 0 ? part : formatValue(values[part])))
}

/** Returns whether there is a text with this key. */
export function isKey(key: string): key is Key {
  return Object.hasOwn(messages, key) || Object.hasOwn(messages, `${key}.other`)
}

/** Formats a duration in its largest fitting unit, rounded up: `2 minutes`. */
export function formatDuration(seconds: number): string {
  const [unit, length] = units.find(([, each]) => seconds >= each * 1.5) ?? (['second', 1] as const)
  return new Intl.NumberFormat(current, { style: 'unit', unit, unitDisplay: 'long' }).format(
    Math.max(1, Math.ceil(seconds / length))
  )
}

/** Formats a date, with the time if it is within two days. */
export function formatDate(seconds: number): string {
  const isNear = Math.abs(seconds - Date.now() / 1000) < 2 * day
  return new Intl.DateTimeFormat(getLocale(), {
    dateStyle: 'long',
    ...(isNear ? { timeStyle: 'short' } : {})
  }).format(Math.min(seconds, lastDay) * 1000)
}

/** Returns the user's locale if it uses the current language: 1 May in Britain, May 1 in America. */
export function getLocale(): string {
  return navigator.languages.find(tag => tag.split('-')[0] === current) ?? current
}

const day = 86_400
/** The latest date that JavaScript can represent, in seconds. */
const lastDay = 8.64e12
const units = [
  ['year', 365 * day],
  ['month', 30 * day],
  ['day', day],
  ['hour', 3600],
  ['minute', 60]
] as const

/** Returns a text, in the plural form for the count if it has several. */
function findText(key: string, count: unknown): string {
  const form = typeof count === 'number' ? new Intl.PluralRules(current).select(count) : 'other'
  return messages[`${key}.${form}`] ?? messages[`${key}.other`] ?? messages[key] ?? key
}

function formatValue<Value>(value: Value): Value | string {
  return typeof value === 'number' ? new Intl.NumberFormat(getLocale()).format(value) : value
}
