/** Reads rules, which users know as alerts. (docs/api/rules.md) */
import { useEffect, useState } from 'preact/hooks'
import { getLocale, t } from '../../language.js'
import { useAccount } from '../data/account.js'
import { useReading, type Reading } from '../data/reading.js'
import { formatMeasureNumber, getMeasureName, type AnyMeasure } from '../data/measures.js'
import { joinQuantity } from '../data/units.js'
import { formatAgo, formatWeekday } from '../parts/format-time.js'

/** A condition as the API returns it; which members it has depends on its kind. */
export interface Condition {
  readonly kind: string
  readonly measure?: string
  readonly unit?: string
  readonly value?: number
  /** Seconds. */
  readonly for?: number
  readonly range?: 'plausible' | 'usual'
  readonly atLeast?: number
  readonly atMost?: number
  readonly by?: string | number
  readonly anyOf?: readonly string[]
  readonly direction?: 'up' | 'down' | 'enters' | 'leaves'
  /** Seconds. */
  readonly within?: number
  readonly recoverAt?: number
  readonly latitude?: number
  readonly longitude?: number
  /** Metres. */
  readonly radius?: number
  readonly accessId?: string
  readonly connectionId?: string
  readonly streamId?: string
  readonly streamIds?: readonly string[]
}

/** A rule as the API returns it. Times are in seconds. */
export interface Rule {
  readonly id: string
  readonly name: string
  readonly isActive: boolean
  readonly condition: Condition
  readonly channelIds: readonly string[]
  readonly showsValues: boolean
  readonly tellsRecovery: boolean
  /** 1 is Monday. */
  readonly days?: readonly number[]
  readonly quietHours?: { readonly from: string; readonly to: string }
  /** Seconds. */
  readonly atMostEvery: number
  readonly remindAfter?: number
  readonly state: {
    readonly isFiring: boolean
    readonly firedAt?: number
    readonly tellAt?: number
    /** True while it fires and has not been acknowledged. */
    readonly isOpen?: boolean
    readonly acknowledgedAt?: number
    readonly acknowledgedBy?: string
    readonly problem?: string
  }
}

/** Milliseconds between reads. */
const intervalMs = 10_000

/** Returns all rules, or why they cannot be read; read again at intervals. */
export function useRules(everyMs = intervalMs): Reading<{ readonly rules: readonly Rule[] }> {
  const { client } = useAccount()
  return useReading(async () => await client.call<{ rules: readonly Rule[] }>('rules.get'), [client], {
    everyMs: () => everyMs
  })
}

/** Returns a rule, or why it cannot be read; read again at intervals. */
export function useRule(id: string): Reading<{ readonly rule: Rule }> {
  const { client } = useAccount()
  return useReading(async () => await client.call<{ rule: Rule }>('rules.getOne', { id }), [id], {
    everyMs: () => intervalMs
  })
}

/**
 * Returns the measures that rules watch, and others by id; undefined until they are read. Empty if they
 * cannot be read.
 */
export function useMeasures(
  rules: readonly Rule[],
  others: readonly string[] = []
): ReadonlyMap<string, AnyMeasure> | undefined {
  const account = useAccount()
  const [measures, setMeasures] = useState<ReadonlyMap<string, AnyMeasure>>()
  const watched = rules.flatMap(({ condition }) => condition.measure ?? [])
  const ids = [...new Set([...others, ...watched])]
  useEffect(() => {
    const keep = (found: readonly AnyMeasure[]): void =>
      setMeasures(new Map(found.map(measure => [measure.id, measure])))
    // A measure of the user's own may have been removed: the others are read without it.
    account.measures.read(ids).then(keep, () => keep([]))
  }, [ids.join()])
  return measures
}

/** Returns the state of a rule in words. */
export function describeState({ isActive, state }: Rule): string {
  if (!isActive) return t('alerts.paused')
  if (state.problem === 'no-range') return t('alerts.noRange')
  if (state.problem !== undefined) return t('alerts.stopped')
  if (state.isFiring) return t('alerts.firing')
  return state.firedAt === undefined
    ? t('alerts.never')
    : t('alerts.last', { when: formatAgo(state.firedAt) })
}

/**
 * Returns a condition as a sentence: `Heart rate above 120 bpm for 10 minutes`. Kinds that this version does
 * not know get a general sentence.
 */
export function describeCondition(condition: Condition, measure: AnyMeasure | undefined): string {
  const { anyOf, atLeast, atMost, by, direction, kind, range, unit, value, within } = condition
  const name = measure ? getMeasureName(measure) : (condition.measure ?? '')
  const format = (number: number): string => {
    if (!measure) return String(number)
    return joinQuantity(formatMeasureNumber(measure, number, unit === undefined ? {} : { type: unit }))
  }
  const duration = formatSpan(condition.for ?? 0)
  if ((kind === 'above' || kind === 'below') && value !== undefined) {
    const given = { measure: name, value: format(value) }
    return condition.for
      ? t(`alerts.sentence.${kind}For`, { ...given, duration })
      : t(`alerts.sentence.${kind}`, given)
  }
  if (kind === 'outside')
    return t(range === 'plausible' ? 'alerts.sentence.implausible' : 'alerts.sentence.outside', {
      measure: name
    })
  if (kind === 'missing')
    return name === ''
      ? t('alerts.sentence.missingAny', { duration })
      : t('alerts.sentence.missing', { measure: name, duration })
  if (kind === 'total')
    return t(atLeast === undefined ? 'alerts.sentence.atMost' : 'alerts.sentence.atLeast', {
      measure: name,
      value: format(atLeast ?? atMost ?? 0),
      by: String(by)
    })
  if (kind === 'words') return t('alerts.sentence.words', { words: (anyOf ?? []).join(', ') })
  if (kind === 'changing')
    return t(direction === 'up' ? 'alerts.sentence.rises' : 'alerts.sentence.falls', {
      measure: name,
      value: format(Number(by)),
      duration: formatSpan(within ?? 0)
    })
  if (kind === 'place') return t(direction === 'enters' ? 'alerts.sentence.enters' : 'alerts.sentence.leaves')
  if (kind === 'arrived') return t('alerts.sentence.arrived')
  return t(kind === 'looked' ? 'alerts.sentence.looked' : 'alerts.sentence.other')
}

/** Monday to Sunday. */
export const weekdays = [1, 2, 3, 4, 5, 6, 7]

/** Returns in words when no messages are sent; empty if they are at any time. */
export function describeQuiet({ days, quietHours }: Rule): string {
  const parts = [
    quietHours && t('alerts.quietWords', quietHours),
    days && t('alerts.daysWords', { days: days.map(formatWeekday).join(', ') })
  ]
  return parts.filter(part => part !== undefined).join(' · ')
}

const units = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60]
] as const

/** Formats seconds in full words, in the largest unit that divides them: `7 days`. */
function formatSpan(seconds: number): string {
  const [unit, size] = units.find(each => seconds > 0 && seconds % each[1] === 0) ?? units[2]
  const style = { style: 'unit', unit, unitDisplay: 'long', maximumFractionDigits: 1 } as const
  return new Intl.NumberFormat(getLocale(), style).format(seconds / size)
}
