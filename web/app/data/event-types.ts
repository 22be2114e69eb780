/** Display names of event types, the kinds of events that users add most, and their contents as text. */
import { isKey, t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import type { IconName } from '../parts/icon.js'
import type { Event, Stream } from './model.js'
import {
  toPointType,
  formatQuantity,
  formatRating,
  getUnit,
  formatNumber,
  joinQuantity,
  type Quantity
} from './units.js'

/** A kind of event that users add. */
export interface EventKind {
  /** Also the text key of its name, and the id of the stream created for it. */
  readonly id: string
  /** Event type; replaced by another unit of its class if the user prefers that. */
  readonly type: string
  readonly icon: IconName
  /** Measure with which the stream created for it is marked. */
  readonly measure: string
  /** Search terms in all languages, besides the name and the class. */
  readonly words: string
}

/** Kinds suggested to new accounts. */
export const suggestedKinds = [
  'weight',
  'blood-pressure',
  'note',
  'photo',
  'mood',
  'body-temperature'
] as const

/** All kinds, the most common first. */
export const eventKinds: readonly EventKind[] = [
  createKind('weight', 'mass/kg', 'lines', 'kg lb kilo pounds body mass poids gewicht masse körper'),
  createKind(
    'blood-pressure',
    'blood-pressure/mmhg-bpm',
    'lines',
    'systolic diastolic cuff tension artérielle blutdruck'
  ),
  createKind('note', 'note/txt', 'note', 'text diary journal write notiz tagebuch écrire texte'),
  createKind('photo', 'picture/attached', 'photo', 'picture image camera bild foto image appareil'),
  createKind('mood', 'mood/rating', 'person', 'feeling well-being stimmung befinden humeur moral'),
  createKind(
    'body-temperature',
    'temperature/c',
    'lines',
    'fever thermometer celsius fahrenheit fieber fièvre'
  ),
  createKind('heart-rate', 'frequency/bpm', 'lines', 'pulse bpm cardio puls herz pouls cœur'),
  createKind('glucose', 'density/mmol-l', 'lines', 'sugar diabetes mmol mg zucker blutzucker sucre glycémie'),
  createKind('sleep', 'sleep/analysis', 'clock', 'night bed asleep schlaf nacht bett nuit sommeil lit'),
  createKind(
    'activity',
    'activity/plain',
    'run',
    'sport training exercise run walk lauf bewegung course marche exercice'
  ),
  createKind(
    'oxygen',
    'ratio/percent',
    'lines',
    'spo2 saturation percent sauerstoff prozent oxygène',
    'oxygen-saturation'
  ),
  createKind('steps', 'count/steps', 'run', 'walk count schritte pas marche'),
  createKind('height', 'length/cm', 'lines', 'tall size size cm grösse taille'),
  createKind('water', 'volume/ml', 'lines', 'drink fluid trinken wasser boire eau'),
  createKind('energy', 'energy/kcal', 'lines', 'calories kcal food essen kalorien repas', 'food-energy'),
  createKind('distance', 'length/km', 'run', 'run ride walk kilometres miles strecke parcours'),
  createKind('position', 'position/wgs84', 'pin', 'place gps where map ort lieu position'),
  createKind('pain', 'symptoms/severity', 'lines', 'symptom ache schmerz beschwerden douleur symptôme'),
  createKind('breathing', 'frequency/brpm', 'lines', 'breath respiration atem atmung', 'respiratory-rate'),
  createKind(
    'period',
    'reproductive-health/menstrual-flow',
    'lines',
    'cycle menstruation flow zyklus règles',
    'menstrual-flow'
  ),
  createKind(
    'file',
    'file/attached',
    'file',
    'document pdf report attachment dokument befund fichier rapport',
    'document'
  ),
  createKind('link', 'url/http', 'link', 'web address url adresse site')
]

/**
 * Returns the display name of a type: `Mass`, `Blood pressure`, `Note`. Types without a text get a name made
 * from the type.
 */
export function getTypeName(type: string): string {
  const name = toPointType(type)
  const [group = ''] = name.split('/')
  for (const key of [`data.type.${name}`, `data.type.${group}`]) if (isKey(key)) return t(key)
  return humanize(name.replace('/', ', '))
}

/** Returns the display name of a kind. */
export function getKindName({ id }: Pick<EventKind, 'id'>): string {
  return t(`data.kind.${id}` as 'data.kind.weight')
}

/** Returns the display name of an enum value. Unknown ones get a name made from the value. */
export function getChoiceName(value: unknown): string {
  const key = `data.choice.${String(value)}`
  return isKey(key) ? t(key) : humanize(String(value))
}

/**
 * Returns whether the name or id of one of the streams suggests glucose values, whose molar and mass
 * concentrations can be converted.
 */
export function isGlucose(streams: readonly Pick<Stream, 'id' | 'name'>[]): boolean {
  return streams.some(({ id, name }) =>
    /gl[uy][ck]o|glycé|glyce|blood sugar|zucker|sucre/i.test(`${id} ${name}`)
  )
}

/** Formats a content in one line, in the user's units: `61.9 kg`, `118/77 mmHg`, the beginning of a note. */
export function formatContent(
  type: string,
  content: unknown,
  options: { readonly isGlucose?: boolean } = {}
): string {
  return joinQuantity(formatContentParts(type, content, options))
}

/**
 * Formats a content like {@link formatContent}, with the unit separate. A missing content, or that of a
 * series, is the name of its type.
 */
export function formatContentParts(
  type: string,
  content: unknown,
  options: { readonly isGlucose?: boolean } = {}
): Quantity {
  const name = toPointType(type)
  if (content === undefined || content === null || type !== name) return withoutUnit(getTypeName(type))
  if (name === 'mood/rating' && typeof content === 'number') return withoutUnit(formatRating(content))
  if (typeof content === 'number')
    return getUnit(name) ? formatQuantity(name, content, options) : withoutUnit(formatNumber(content))
  if (typeof content === 'boolean') return withoutUnit(t(content ? 'data.yes' : 'data.no'))
  if (typeof content === 'string')
    return withoutUnit(
      isChoice(name) ? getChoiceName(content) : truncate(name === 'note/html' ? stripTags(content) : content)
    )
  if (typeof content === 'object' && !Array.isArray(content))
    return formatObject(name, content as Readonly<Record<string, unknown>>)
  return withoutUnit(truncate(JSON.stringify(content)))
}

/** Formats an event in one line: its content, or without one its description, its first file or its type. */
export function formatEvent({ type, content, description, attachments }: Event, isOfGlucose = false): string {
  if (content !== undefined && content !== null && !type.startsWith('series:'))
    return formatContent(type, content, { isGlucose: isOfGlucose })
  return truncate(description ?? attachments?.[0]?.fileName ?? getTypeName(type))
}

/** Returns the icon of a type. */
export function getTypeIcon(type: string): IconName {
  const name = toPointType(type)
  const [group] = name.split('/')
  const kind =
    eventKinds.find(each => each.type === name) ?? eventKinds.find(each => each.type.split('/')[0] === group)
  return kind?.icon ?? (getUnit(name) ? 'lines' : 'file')
}

/** Creates a kind. Its measure has the same id unless it is given. */
function createKind(id: string, type: string, icon: IconName, words: string, measure = id): EventKind {
  return { id, type, icon, words, measure }
}

/**
 * Formats a content with several members: by its type, else its title or name; the name of the type if it has none.
 */
function formatObject(type: string, content: Readonly<Record<string, unknown>>): Quantity {
  const number = (key: string): string | undefined => {
    const value = content[key]
    return typeof value === 'number' ? formatNumber(value) : undefined
  }
  if (type === 'blood-pressure/mmhg-bpm')
    return { value: `${number('systolic') ?? '–'}/${number('diastolic') ?? '–'}`, unit: 'mmHg' }
  if (type === 'position/wgs84') {
    const degrees = ['latitude', 'longitude'].map(key => Number(content[key]).toFixed(5))
    return withoutUnit(degrees.join(', '))
  }
  if (type === 'ratio/generic')
    return withoutUnit(`${number('value') ?? '–'} / ${number('relativeTo') ?? '–'}`)
  if (type === 'sleep/analysis') return withoutUnit(getChoiceName(content['analysis'] ?? 'asleep'))
  for (const key of ['title', 'subject', 'displayName', 'url', 'filename']) {
    const text = content[key]
    if (typeof text === 'string' && text !== '') return withoutUnit(truncate(text))
  }
  return withoutUnit(getTypeName(type))
}

function isChoice(type: string): boolean {
  return /^(?:attributes|reproductive-health|symptoms)\//.test(type)
}

/** Returns the approximate text of HTML, for a one-line excerpt. The result is used as text, never as markup. */
function stripTags(html: string): string {
  return html
    .slice(0, 2000)
    .replaceAll(/<[^>]*>?/g, ' ')
    .replaceAll('&nbsp;', ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&')
}

function truncate(text: string): string {
  const line = toPlainText(text.slice(0, 400))
  return line.length > 140 ? `${line.slice(0, 139)}…` : line
}

/** `menstrual-flow` → `Menstrual flow`, `luteinizingHormoneSurge` → `Luteinizing hormone surge`. */
function humanize(name: string): string {
  const text = toPlainText(name.replaceAll(/([a-z])([A-Z])/g, '$1 $2').replaceAll(/[-_]/g, ' '))
  const isCode = /[A-Z]{2}/.test(text)
  return text.slice(0, 1).toUpperCase() + (isCode ? text.slice(1) : text.slice(1).toLowerCase())
}

function withoutUnit(value: string): Quantity {
  return { value, unit: '' }
}
