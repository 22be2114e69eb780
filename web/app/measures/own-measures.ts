/** The user's own measures: what the form asks for, and how they are stored. (docs/api/measure-methods.md#own-measures) */
import type { Account } from '../data/account.js'
import type { OwnMeasure } from '../data/measures.js'
import { parseSettings, todayKey } from '../data/today-settings.js'

/** Key in the private profile set: a list. */
const ownKey = 'coffer:measures'
/** Maximum number of own measures. */
export const maxOwn = 200
/** Maximum number of values of a scale, and of buttons. */
export const maxValues = 20

/** What is recorded: a number, a number that adds up over a day, a value of a scale, or yes or no. */
export type Form = 'number' | 'total' | 'scale' | 'yesNo'
export const forms: readonly Form[] = ['number', 'total', 'scale', 'yesNo']

/** The types offered for numbers. */
export const numberTypes: readonly string[] = [
  'count/generic',
  'mass/kg',
  'mass/g',
  'length/km',
  'length/m',
  'length/cm',
  'time/h',
  'time/min',
  'volume/l',
  'volume/ml',
  'energy/kcal',
  'temperature/c',
  'ratio/percent'
]

export const icons: readonly string[] = [
  'hash',
  'target',
  'star',
  'heart',
  'smile',
  'leaf',
  'sprout',
  'dog',
  'cat',
  'baby',
  'car',
  'bike',
  'dumbbell',
  'footprints',
  'brush',
  'shirt',
  'house',
  'utensils',
  'droplet',
  'sun',
  'moon',
  'clock',
  'bell',
  'flag',
  'bookmark',
  'thumbs-up',
  'zap',
  'eye'
]
/** In degrees. */
export const hues: readonly number[] = [5, 30, 55, 120, 165, 205, 250, 290, 330]

/** What the user enters. */
export interface Draft {
  readonly name: string
  readonly icon: string
  readonly hue: number
  readonly form: Form
  /** Of numbers and totals. */
  readonly type: string
  /** The first and the last value of a scale. */
  readonly from: number
  readonly to: number
  /** Numbers that a button adds. */
  readonly quick: readonly number[]
}

export const emptyDraft: Draft = {
  name: '',
  icon: icons[0]!,
  hue: hues[5]!,
  form: 'number',
  type: numberTypes[0]!,
  from: 1,
  to: 5,
  quick: []
}

/** Returns a stored measure as the form edits it. */
export function toDraft({ choices, hue, icon, kind, name, quickValues = [], types }: OwnMeasure): Draft {
  const [type] = types as readonly [string, ...string[]]
  const scale = (choices ?? []).flatMap(({ value }) => (typeof value === 'number' ? [value] : []))
  const form =
    type === 'boolean/bool' ? 'yesNo' : scale.length > 0 ? 'scale' : kind === 'sum' ? 'total' : 'number'
  return {
    name,
    icon,
    hue,
    form,
    type,
    from: scale.length > 0 ? Math.min(...scale) : emptyDraft.from,
    to: scale.length > 0 ? Math.max(...scale) : emptyDraft.to,
    quick: form === 'scale' ? [] : quickValues.flatMap(each => (typeof each === 'number' ? [each] : []))
  }
}

/** Returns the measure to be stored. What the form does not ask for is kept. */
export function toMeasure(draft: Draft, id: string, before?: OwnMeasure): OwnMeasure {
  const { hue, icon, name } = draft
  const { choices: _choices, quickValues: _quickValues, ...kept } = before ?? {}
  return { ...kept, id, name, icon, hue, ...toContents(draft) }
}

/** Returns what the measure of a form contains: its kind, types, choices and quick values. */
function toContents({
  form,
  from,
  quick,
  to,
  type
}: Draft): Pick<OwnMeasure, 'kind' | 'types' | 'choices' | 'quickValues'> {
  if (form === 'yesNo') return { kind: 'category', types: ['boolean/bool'], quickValues: [true, false] }
  if (form === 'scale') {
    const values = Array.from({ length: to - from + 1 }, (_, index) => from + index)
    const choices = values.map(value => ({ value }))
    return { kind: 'level', types: ['count/generic'], choices, quickValues: values }
  }
  const buttons = quick.length > 0 ? { quickValues: [...new Set(quick)] } : {}
  return { kind: form === 'total' ? 'sum' : 'level', types: [type], ...buttons }
}

/** Creates the id of a measure. */
export function createMeasureId(): string {
  return `own-${[...crypto.getRandomValues(new Uint8Array(8))].map(each => each.toString(16).padStart(2, '0')).join('')}`
}

/**
 * Adds or replaces a measure in the private profile set. A new one is shown on the page Today. Rejects with a
 * `Refusal`. The profile is read first, the facts afterwards.
 */
export async function saveMeasure(account: Account, measure: OwnMeasure): Promise<void> {
  await changeList(account, measure.id, list => {
    const isKnown = list.some(each => isMeasure(each, measure.id))
    return isKnown ? list.map(each => (isMeasure(each, measure.id) ? measure : each)) : [...list, measure]
  })
}

/**
 * Removes a measure and its card; its data remains in its streams. Returns a function that restores it.
 * Rejects with a `Refusal`.
 */
export async function removeMeasure(account: Account, measure: OwnMeasure): Promise<() => Promise<void>> {
  await changeList(account, measure.id, list => list.filter(each => !isMeasure(each, measure.id)))
  return async () => await saveMeasure(account, measure)
}

/** Changes the list of own measures as stored at this moment, and the cards of Today with it. */
async function changeList(
  account: Account,
  id: string,
  change: (list: readonly unknown[]) => readonly unknown[]
): Promise<void> {
  // Other tabs and apps may have changed it.
  await account.readProfile()
  const profile = account.profile.value
  const stored = profile[ownKey]
  const list = Array.isArray(stored) ? (stored as readonly unknown[]) : []
  const changed = change(list)
  const { cards, hidden } = parseSettings(profile)
  const others = cards.filter(each => each !== id)
  const isNew = changed.length > list.length
  await account.updateProfile({
    [ownKey]: changed,
    ...(isNew || changed.length < list.length
      ? { [todayKey]: { cards: isNew ? [...others, id] : others, hidden } }
      : {})
  })
  account.measures.forget()
  await account.readFacts()
}

/** Returns whether an entry of the list, which other apps may have written, is the measure with this id. */
function isMeasure(entry: unknown, id: string): boolean {
  return typeof entry === 'object' && entry !== null && (entry as { readonly id?: unknown }).id === id
}
