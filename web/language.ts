/**
 * What the pages say, in the language of whoever reads it. A language is a file in `messages/`, named by its tag; texts
 * that it lacks are shown in English.
 */
import type { ComponentChild } from 'preact'
import english from './messages/en.json'

export type Key = keyof typeof english
type Messages = Readonly<Partial<Record<Key, string>>>

const files = import.meta.glob<Messages>(['./messages/*.json', '!./messages/en.json'], { import: 'default' })
const tagOf = (path: string): string => path.slice('./messages/'.length, -'.json'.length)

/** Tags of all languages there are, in the order of their own names. */
export const languages: readonly string[] = ['en', ...Object.keys(files).map(tagOf)].toSorted((a, b) =>
  nameOf(a).localeCompare(nameOf(b))
)

let current = 'en'
let messages: Messages = english

/** The language in use. */
export function language(): string {
  return current
}

/** Takes the first of the wanted languages that there is, or English. `fr-CH` is content with `fr`. */
export async function speak(wanted: readonly string[]): Promise<void> {
  const tags = wanted.flatMap(tag => [tag, tag.split(/[-_]/)[0]!.toLowerCase()])
  const tag = tags.find(each => languages.includes(each)) ?? 'en'
  messages = (await files[`./messages/${tag}.json`]?.()) ?? english
  current = tag
  document.documentElement.lang = tag
}

/** What a language calls itself. */
export function nameOf(tag: string): string {
  const name = new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? tag
  return name[0]!.toLocaleUpperCase(tag) + name.slice(1)
}

/** A text, with `{names}` in it replaced by values. */
export function t(key: Key, values: Readonly<Record<string, string | number>> = {}): string {
  return textOf(key).replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole))
}

/** As {@link t}, for values that are more than text. */
export function rich(key: Key, values: Readonly<Record<string, ComponentChild>>): ComponentChild[] {
  return textOf(key)
    .split(/\{(\w+)\}/)
    .map((part, index) => (index % 2 === 0 ? part : values[part]))
}

/** Whether there is a text of this name. */
export function isKey(key: string): key is Key {
  return Object.hasOwn(english, key)
}

/** A length of time in its largest fitting unit: `2 minutes`. */
export function duration(seconds: number): string {
  const [unit, length] = units.find(([, each]) => seconds >= each * 1.5) ?? (['second', 1] as const)
  return new Intl.NumberFormat(current, { style: 'unit', unit, unitDisplay: 'long' }).format(
    Math.max(1, Math.ceil(seconds / length))
  )
}

/** A day, with its time where it is near. */
export function date(seconds: number): string {
  const isNear = Math.abs(seconds - Date.now() / 1000) < 2 * day
  // As it is written where the reader lives, if that speaks this language: 1 May in Britain, May 1 in America.
  const locale = navigator.languages.find(tag => tag.split('-')[0] === current) ?? current
  return new Intl.DateTimeFormat(locale, {
    dateStyle: 'long',
    ...(isNear ? { timeStyle: 'short' } : {})
  }).format(Math.min(seconds, lastDay) * 1000)
}

const day = 86_400
/** What calendars of browsers end with. */
const lastDay = 8.64e12
const units = [
  ['year', 365 * day],
  ['month', 30 * day],
  ['day', day],
  ['hour', 3600],
  ['minute', 60]
] as const

function textOf(key: Key): string {
  return messages[key] ?? english[key]
}
