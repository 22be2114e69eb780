/** Display names of event types, the kinds of events that users add most, and their contents as text. */
import { isKey, language, t } from '../../language.js'
import { plain } from '../../plain.js'
import type { IconName } from '../parts/icon.js'
import type { Event, Stream } from './model.js'
import { plainType, shownQuantity, unitOf, written, type Quantity } from './units.js'

/** A kind of event that users add. */
export interface Kind {
  /** Also the text key of its name, and the id of the stream created for it. */
  readonly id: string
  /** Event type; replaced by another unit of its class if the user prefers that. */
  readonly type: string
  readonly icon: IconName
  /** Search terms in all languages, besides the name and the class. */
  readonly words: string
}

/** Kinds suggested to new accounts. */
export const firstKinds = ['weight', 'blood-pressure', 'note', 'photo', 'mood', 'body-temperature'] as const

/** All kinds, the most common first. */
export const kinds: readonly Kind[] = [
  kind('weight', 'mass/kg', 'lines', 'kg lb kilo pounds body mass poids gewicht masse körper'),
  kind(
    'blood-pressure',
    'blood-pressure/mmhg-bpm',
    'lines',
    'systolic diastolic cuff tension artérielle blutdruck'
  ),
  kind('note', 'note/txt', 'note', 'text diary journal write notiz tagebuch écrire texte'),
  kind('photo', 'picture/attached', 'photo', 'picture image camera bild foto image appareil'),
  kind('mood', 'mood/rating', 'person', 'feeling well-being stimmung befinden humeur moral'),
  kind('body-temperature', 'temperature/c', 'lines', 'fever thermometer celsius fahrenheit fieber fièvre'),
  kind('heart-rate', 'frequency/bpm', 'lines', 'pulse bpm cardio puls herz pouls cœur'),
  kind('glucose', 'density/mmol-l', 'lines', 'sugar diabetes mmol mg zucker blutzucker sucre glycémie'),
  kind('sleep', 'sleep/analysis', 'clock', 'night bed asleep schlaf nacht bett nuit sommeil lit'),
  kind(
    'activity',
    'activity/plain',
    'run',
    'sport training exercise run walk lauf bewegung course marche exercice'
  ),
  kind('oxygen', 'ratio/percent', 'lines', 'spo2 saturation percent sauerstoff prozent oxygène'),
  kind('steps', 'count/steps', 'run', 'walk count schritte pas marche'),
  kind('height', 'length/cm', 'lines', 'tall size size cm grösse taille'),
  kind('water', 'volume/ml', 'lines', 'drink fluid trinken wasser boire eau'),
  kind('energy', 'energy/kcal', 'lines', 'calories kcal food essen kalorien repas'),
  kind('distance', 'length/km', 'run', 'run ride walk kilometres miles strecke parcours'),
  kind('position', 'position/wgs84', 'pin', 'place gps where map ort lieu position'),
  kind('pain', 'symptoms/severity', 'lines', 'symptom ache schmerz beschwerden douleur symptôme'),
  kind('breathing', 'frequency/brpm', 'lines', 'breath respiration atem atmung'),
  kind('period', 'reproductive-health/menstrual-flow', 'lines', 'cycle menstruation flow zyklus règles'),
  kind('file', 'file/attached', 'file', 'document pdf report attachment dokument befund fichier rapport'),
  kind('link', 'url/http', 'link', 'web address url adresse site')
]

/** Returns the display name of a type: `Mass`, `Blood pressure`, `Note`. */
export function typeName(type: string): string {
  const name = plainType(type)
  const [group = ''] = name.split('/')
  for (const key of [`data.type.${name}`, `data.type.${group}`]) if (isKey(key)) return t(key)
  return readable(name.replace('/', ', '))
}

/** Returns the display name of a kind. */
export function kindName({ id }: Pick<Kind, 'id'>): string {
  return t(`data.kind.${id}` as 'data.kind.weight')
}

/** Returns the display name of an enum value. */
export function choiceName(value: unknown): string {
  const key = `data.choice.${String(value)}`
  return isKey(key) ? t(key) : readable(String(value))
}

/** Returns whether a stream holds glucose values, whose molar and mass concentrations can be converted. */
export function isGlucose(streams: readonly Pick<Stream, 'id' | 'name'>[]): boolean {
  return streams.some(({ id, name }) =>
    /gl[uy][ck]o|glycé|glyce|blood sugar|zucker|sucre/i.test(`${id} ${name}`)
  )
}

/** Formats a content in one line, in the user's units: `61.9 kg`, `118/77 mmHg`, the beginning of a note. */
export function shownValue(
  type: string,
  content: unknown,
  options: { readonly isGlucose?: boolean } = {}
): string {
  const { value, unit } = shownParts(type, content, options)
  if (unit === '') return value
  const isClose = unit === '°' || (unit === '%' && language() === 'en')
  return isClose ? `${value}${unit}` : `${value}\u00a0${unit}`
}

/** Formats a content like {@link shownValue}, with the unit separate. */
export function shownParts(
  type: string,
  content: unknown,
  options: { readonly isGlucose?: boolean } = {}
): Quantity {
  const name = plainType(type)
  if (content === undefined || content === null || type !== name) return only(typeName(type))
  if (name === 'mood/rating' && typeof content === 'number') return only(`${written(content * 10, 1)}/10`)
  if (typeof content === 'number')
    return unitOf(name) ? shownQuantity(name, content, options) : only(written(content))
  if (typeof content === 'boolean') return only(t(content ? 'data.yes' : 'data.no'))
  if (typeof content === 'string')
    return only(
      isChoice(name) ? choiceName(content) : excerptOf(name === 'note/html' ? withoutTags(content) : content)
    )
  if (typeof content === 'object' && !Array.isArray(content))
    return objectParts(name, content as Readonly<Record<string, unknown>>)
  return only(excerptOf(JSON.stringify(content)))
}

/** Formats an event in one line. */
export function shownEvent({ type, content, description, attachments }: Event, isOfGlucose = false): string {
  if (content !== undefined && content !== null && !type.startsWith('series:'))
    return shownValue(type, content, { isGlucose: isOfGlucose })
  return excerptOf(description ?? attachments?.[0]?.fileName ?? typeName(type))
}

/** Returns the icon of a type. */
export function iconOf(type: string): IconName {
  const name = plainType(type)
  const [group] = name.split('/')
  const same = kinds.find(each => each.type === name) ?? kinds.find(each => each.type.split('/')[0] === group)
  return same?.icon ?? (unitOf(name) ? 'lines' : 'file')
}

function kind(id: string, type: string, icon: IconName, words: string): Kind {
  return { id, type, icon, words }
}

function objectParts(type: string, content: Readonly<Record<string, unknown>>): Quantity {
  const number = (key: string): string | undefined => {
    const value = content[key]
    return typeof value === 'number' ? written(value) : undefined
  }
  if (type === 'blood-pressure/mmhg-bpm')
    return { value: `${number('systolic') ?? '–'}/${number('diastolic') ?? '–'}`, unit: 'mmHg' }
  if (type === 'position/wgs84') {
    const degrees = ['latitude', 'longitude'].map(key => Number(content[key]).toFixed(5))
    return only(degrees.join(', '))
  }
  if (type === 'ratio/generic') return only(`${number('value') ?? '–'} / ${number('relativeTo') ?? '–'}`)
  if (type === 'sleep/analysis') return only(choiceName(content['analysis'] ?? 'asleep'))
  for (const key of ['title', 'subject', 'displayName', 'url', 'filename']) {
    const text = content[key]
    if (typeof text === 'string' && text !== '') return only(excerptOf(text))
  }
  return only(typeName(type))
}

function isChoice(type: string): boolean {
  return /^(?:attributes|reproductive-health|symptoms)\//.test(type)
}

/** Returns the approximate text of HTML, for a one-line excerpt. The result is used as text, never as markup. */
function withoutTags(html: string): string {
  return html
    .slice(0, 2000)
    .replaceAll(/<[^>]*>?/g, ' ')
    .replaceAll('&nbsp;', ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&')
}

function excerptOf(text: string): string {
  const line = plain(text.slice(0, 400))
  return line.length > 140 ? `${line.slice(0, 139)}…` : line
}

/** `menstrual-flow` → `Menstrual flow`, `luteinizingHormoneSurge` → `Luteinizing hormone surge`. */
function readable(name: string): string {
  const text = plain(name.replaceAll(/([a-z])([A-Z])/g, '$1 $2').replaceAll(/[-_]/g, ' '))
  const isCode = /[A-Z]{2}/.test(text)
  return text.slice(0, 1).toUpperCase() + (isCode ? text.slice(1) : text.slice(1).toLowerCase())
}

function only(value: string): Quantity {
  return { value, unit: '' }
}
