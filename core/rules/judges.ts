/** What readings say about conditions: one judge for each kind. */
import type { ConditionOf } from '../../schemas/rule.js'
import type { Verdict } from './episodes.js'
import type { Reading } from './readings.js'

/** Judges readings in the order of their times. */
export interface Judge {
  /** Seconds before the first reading that have to be judged as well. */
  readonly memory: number
  /** Returns whether the condition holds by a reading. Readings must come in order of their times. */
  judge(reading: Reading): Verdict
}

/** A range of numbers. */
export interface NumberRange {
  readonly min: number
  readonly max: number
}

/** Judges `above` and `below`. */
export function createThresholdJudge({
  kind,
  recoverAt,
  value: limit
}: ConditionOf<'above' | 'below'>): Judge {
  const sign = kind === 'above' ? 1 : -1
  const [start, end] = [limit * sign, (recoverAt ?? limit) * sign]
  return {
    memory: 0,
    judge({ value }) {
      if (value * sign > start) return 'met'
      return value * sign <= end ? 'over' : 'between'
    }
  }
}

/** Judges `outside`. `findRange` returns the range at a time; without one, a reading says nothing. */
export function createRangeJudge(findRange: (time: number) => NumberRange | undefined): Judge {
  return {
    memory: 0,
    judge({ time, value }) {
      const range = findRange(time)
      if (!range) return 'between'
      return value < range.min || value > range.max ? 'met' : 'over'
    }
  }
}

/** Judges `changing`: the difference to the lowest, or the highest, reading of the time before. */
export function createChangeJudge({ by, direction, within }: ConditionOf<'changing'>): Judge {
  const sign = direction === 'up' ? 1 : -1
  /** Readings that may be the lowest from now on, in ascending order of time and value. */
  let lowest: Reading[] = []
  /** Index of the first that is not too old: removing each at once would move all others. */
  let first = 0
  return {
    memory: within,
    judge({ time, value: given }) {
      const value = given * sign
      while (first < lowest.length && lowest[first]!.time < time - within) first++
      if (first > 1000 && first > lowest.length / 2) {
        lowest = lowest.slice(first)
        first = 0
      }
      while (lowest.length > first && lowest.at(-1)!.value >= value) lowest.pop()
      lowest.push({ time, value })
      return value - lowest[first]!.value >= by ? 'met' : 'over'
    }
  }
}

/** By how much a position has to be farther away than the radius to be outside. */
const margin = 1.2
const earthRadius = 6_371_000

/** Judges `place`. Positions between the radius and a margin around it change nothing. */
export function createPlaceJudge({ direction, latitude, longitude, radius }: ConditionOf<'place'>): Judge {
  const isEntry = direction === 'enters'
  return {
    memory: 0,
    judge(reading) {
      const distance = getDistance({ value: latitude, longitude }, reading)
      if (distance <= radius) return isEntry ? 'met' : 'over'
      return distance <= radius * margin ? 'between' : isEntry ? 'over' : 'met'
    }
  }
}

type Position = Pick<Reading, 'longitude' | 'value'>

/** Returns the distance of two positions on a sphere, in metres. */
function getDistance(a: Position, b: Position): number {
  const [first, second] = [toRadians(a.value), toRadians(b.value)]
  const height = Math.sin((second - first) / 2) ** 2
  const width = Math.sin(toRadians((b.longitude ?? 0) - (a.longitude ?? 0)) / 2) ** 2
  const chord = height + Math.cos(first) * Math.cos(second) * width
  return 2 * earthRadius * Math.asin(Math.min(1, Math.sqrt(chord)))
}

function toRadians(degrees: number): number {
  return (degrees * Math.PI) / 180
}

/** What is asked of the readings. Times in seconds. */
export interface StandingRequest {
  /** Returns readings in the order of their times, with those of so many seconds before; `undefined` if there are too many. */
  readonly read: (from: number, memory: number) => readonly Reading[] | undefined
  readonly createJudge: () => Judge
  /** Readings before that do not count. */
  readonly base: number
  readonly now: number
  /** How long the condition has to hold. */
  readonly hold: number
  /** Whether the rule fires: it then goes on until a reading says that it is over. */
  readonly isFiring: boolean
}

/** The readings for which a condition holds without a break until now. */
export interface Standing {
  /** The first of them; `undefined` if the condition does not hold. */
  readonly since: Reading | undefined
  /** The verdict of the last reading. */
  readonly last: Verdict | undefined
}

/** Ranges that are read, in seconds: the last readings say enough most of the time. */
const spans = [3600, 86_400, 30 * 86_400, Infinity]
/** Seconds of the first range, if the condition need not hold. */
const firstSpan = 60

/**
 * Returns what the last readings say as they stand now: they may have been changed, moved or removed since they were seen.
 * (docs/api/rules.md#corrections) Returns `undefined` if too many would have to be read.
 */
export function findStanding(request: StandingRequest): Standing | undefined {
  const { base, hold, now } = request
  const first = firstSpan + 2 * hold
  for (const span of [first, ...spans.filter(each => each > first)]) {
    const from = Math.max(base, now - span)
    const judged = judgeFrom(request, from)
    if (!judged) return undefined
    const { isComplete, ...standing } = judged
    const isHeld = standing.since !== undefined && standing.since.time + hold <= now
    if (isComplete || isHeld || from <= base) return standing
  }
  return undefined
}

/** `isComplete`: earlier readings cannot change the result. */
function judgeFrom(
  { createJudge, isFiring, read }: StandingRequest,
  from: number
): (Standing & { readonly isComplete: boolean }) | undefined {
  const judge = createJudge()
  const readings = read(from, judge.memory)
  if (!readings) return undefined
  let since: Reading | undefined
  let last: Verdict | undefined
  let isComplete = false
  for (const reading of readings) {
    const verdict = judge.judge(reading)
    if (reading.time < from) continue
    last = verdict
    if (verdict === 'met') since ??= reading
    else if (verdict === 'over' || !isFiring) since = undefined
    isComplete ||= verdict === 'over'
  }
  return { since, last, isComplete }
}
