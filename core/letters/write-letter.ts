/** Writes a letter from the figures of a week: plain statistics, without causes and advice. (docs/api/letter.md#what-it-says) */
import type { LetterSettings } from '../../schemas/plans/letter.js'
import type { MeasureWeek } from '../measures/measure-week.js'
import { weekDays } from '../measures/measure-week.js'
import { truncateText } from '../truncate-text.js'
import { showMeasure, type Shown } from './format-value.js'
import type { Week } from './read-week.js'
import { getLetterTexts, type LetterTexts, type Times } from './texts.js'

interface Letter {
  readonly title: string
  readonly text: string
}

type Options = Pick<LetterSettings, 'language' | 'showsValues'> & {
  /** The last day of the week, counted from 1 January 1970. */
  readonly last: number
}

/** A measure of the week, with how it is shown. */
interface Item extends Shown {
  readonly week: MeasureWeek
}

/** Maximum number of lines of a section. */
const maxLines = 40
/** Maximum length of a name, and of what is said about it, in characters. */
const maxLineLength = 200
const invisibleCharacters = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu
const dayMs = 86_400_000

/**
 * Writes a letter. Unless it shows values, it only says that the week is ready. Measures that are unknown by
 * now are omitted.
 */
export function writeLetter(week: Week, { language, last, showsValues }: Options): Letter {
  const texts = getLetterTexts(language)
  if (!showsValues) return { title: texts.ready, text: texts.readyText }
  const items = week.measures.flatMap((each): Item[] => {
    const shown = showMeasure(each.measure, week.own, language)
    return shown ? [{ ...shown, week: each }] : []
  })
  const sections = [
    formatSection(texts.different, items.filter(isDifferent), item => describeDifference(item, texts)),
    formatSection(
      texts.usual,
      items.filter(({ week: { position } }) => position === 'usual'),
      item => describeValue(item, texts)
    ),
    formatSection(
      texts.unknown,
      items.filter(({ week: { position } }) => position === 'unknown'),
      item => describeValue(item, texts)
    ),
    formatSection(
      texts.goals,
      items.filter(({ week: { goal } }) => goal),
      item => describeGoal(item, texts)
    ),
    describeNights(items, texts),
    describePlaces(items, texts),
    describeLooked(week, texts)
  ]
  const [from, to] = [last + 1 - weekDays, last].map(day => formatDay(day, language))
  return { title: texts.title(from!, to!), text: sections.filter(text => text !== '').join('\n\n') }
}

function formatSection(title: string, items: readonly Item[], describe: (item: Item) => string): string {
  if (items.length === 0) return ''
  const lines = items.slice(0, maxLines).map(item => toLine(item.name, describe(item)))
  if (items.length > maxLines) lines.push('- …')
  return [title, ...lines].join('\n')
}

/** Apps choose names and words: they must not look like further lines of the letter. */
function toLine(name: string, text: string): string {
  const [shownName, shown] = [name, text].map(each => {
    const line = each.replaceAll(invisibleCharacters, ' ').trim()
    return line.length > maxLineLength ? `${truncateText(line, maxLineLength)}…` : line
  })
  return `- ${shownName}: ${shown}`
}

function isDifferent({ week: { position } }: Item): boolean {
  return position === 'lower' || position === 'higher'
}

function describeDifference({ format, week }: Item, texts: LetterTexts): string {
  const { position, usual, value } = week
  const describe = position === 'lower' ? texts.lower : texts.higher
  return joinGaps(describe(format(value), format(usual?.low), format(usual?.high)), week, texts)
}

function describeValue({ format, week }: Item, texts: LetterTexts): string {
  const { days, total, value } = week
  if (days === 0) return texts.noData
  const shown = value === undefined ? texts.records(total ?? 0) : format(value)
  return joinGaps(`${shown}.`, week, texts)
}

function joinGaps(sentence: string, { days }: MeasureWeek, texts: LetterTexts): string {
  // Units such as `Min.` end with a full stop of their own.
  const text = sentence.replace(/\.\.$/, '.')
  return days === weekDays ? text : `${text} ${texts.missing(weekDays - days)}`
}

function describeGoal({ week }: Item, texts: LetterTexts): string {
  const { period, reached, total } = week.goal!
  if (period === 'week')
    return joinGaps(`${reached > 0 ? texts.goalReached : texts.goalMissed}.`, week, texts)
  const text = `${texts.goalDays(reached, total)}.`
  // On a day without data it is unknown. Of some weekdays only, those may be others.
  return total === weekDays ? joinGaps(text, week, texts) : text
}

function describeNights(items: readonly Item[], texts: LetterTexts): string {
  const night = items.find(({ week }) => week.night)?.week.night
  if (!night) return ''
  const [begin, end] = [night.begin, night.end].map(times => describeTimes(times, texts))
  return `${texts.nights}\n${texts.nightTimes(begin!, end!)}`
}

/** All nights may have the same time, or there is only one. */
function describeTimes(times: Times, texts: LetterTexts): string {
  return times.earliest === times.latest ? times.median : texts.timeBetween(times)
}

function describePlaces(items: readonly Item[], texts: LetterTexts): string {
  const places = items.find(({ week }) => week.places)?.week.places
  return places ? texts.places(places.count) : ''
}

function describeLooked({ looked }: Week, texts: LetterTexts): string {
  if (!looked) return ''
  const lines = looked.slice(0, maxLines).map(({ days, name }) => toLine(name, texts.lookedDays(days)))
  if (looked.length > maxLines) lines.push('- …')
  return [texts.looked, ...(lines.length > 0 ? lines : [texts.nobody])].join('\n')
}

function formatDay(day: number, language: LetterSettings['language']): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(day * dayMs)
}
