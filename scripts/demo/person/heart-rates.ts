/** The heart rate of a day, second by second: low in sleep, high on a run, and higher during a cold. */
import { getBedtime, type Day, type Plan, type TimeSpan } from './days.js'
import { Random } from './random.js'

/** Heart rate at a second. */
type HeartRate = readonly [deltaTime: number, bpm: number]

const [hour, minute] = [3600, 60]

/**
 * Returns the heart rate of each second at which the watch is worn, with times since `origin` (seconds), up
 * to `plan.until`. Returns none on days on which the watch is not worn.
 */
export function createHeartRates(plan: Plan, day: Day, origin: number): HeartRate[] {
  if (day.isUnworn) return []
  const random = new Random(plan.seed, day.number, 'heart')
  const targets = createTargets(plan, day, random)
  const rows: HeartRate[] = []
  const end = Math.min(day.to, Math.floor(plan.until) + 1)
  let rate = targets[0]!
  let sway = 0
  for (let time = day.from; time < end; time++) {
    const target = targets[Math.floor((time - day.from) / minute)]!
    if (Number.isNaN(target)) continue
    if (Number.isNaN(rate)) rate = target
    rate += (target - rate) * 0.04
    sway = sway * 0.94 + (random.next() - 0.5) * 1.5
    rows.push([time - origin, Math.round(rate + sway)])
  }
  return rows
}

/** Returns the resting heart rate of a day. It decreases over the year, and is higher during a cold. */
export function getRestingRate({ illness, progress }: Day): number {
  return 60 - 4 * progress + 13 * illness
}

/** Returns the value that the heart rate approaches in each minute; NaN while the watch is off. */
function createTargets(plan: Plan, day: Day, random: Random): Float64Array {
  const count = Math.ceil((day.to - day.from) / minute)
  const targets = new Float64Array(count)
  const resting = getRestingRate(day)
  const asleepAgain = getBedtime(plan, day)
  for (let index = 0; index < count; index++) {
    const time = day.from + index * minute
    const isAsleep = time < day.night.to || time >= asleepAgain
    targets[index] = isAsleep ? getAsleepRate(resting, time) : getAwakeRate(resting, (time - day.from) / hour)
  }
  for (const burst of createBursts(day, random)) raise(targets, day, burst, burst.by)
  if (day.run) raiseByRun(targets, day, day.run, resting)
  for (const gap of createGaps(day, asleepAgain, random)) {
    const [first, last] = getMinutes(day, gap)
    targets.fill(NaN, first, last)
  }
  return targets
}

/** Deep and light sleep alternate in cycles of an hour and a half. */
function getAsleepRate(resting: number, time: number): number {
  return resting - 4 + 3 * Math.sin((time / (1.5 * hour)) * 2 * Math.PI)
}

/** The heart rate is highest in the afternoon. */
function getAwakeRate(resting: number, hours: number): number {
  return resting + 13 + 5 * Math.sin(((hours - 9) / 24) * 2 * Math.PI)
}

/** Returns short periods of activity: stairs, walks, errands. */
function createBursts(
  { from, illness, isAway, isWeekend, night }: Day,
  random: Random
): (TimeSpan & { by: number })[] {
  const count = Math.round((isAway ? 16 : isWeekend ? 10 : 8) * (1 - 0.7 * illness))
  const walks = Array.from({ length: count }, () => {
    const begin = night.to + random.next() * 14 * hour
    return { from: begin, to: begin + random.between(3, 22) * minute, by: random.between(8, 32) }
  })
  if (isWeekend || isAway || illness > 0) return walks
  const commutes = [8.1, 17.5].map(at => ({ from: from + at * hour, to: from + (at + 0.4) * hour, by: 24 }))
  return [...walks, ...commutes]
}

function raise(targets: Float64Array, day: Day, span: TimeSpan, by: number): void {
  const [first, last] = getMinutes(day, span)
  for (let index = first; index < last; index++) targets[index]! += by
}

function raiseByRun(targets: Float64Array, day: Day, run: TimeSpan, resting: number): void {
  const [first, last] = getMinutes(day, run)
  for (let index = first; index < last; index++) {
    const effort = Math.min(1, (index - first + 1) / 8) * 0.88 + ((index - first) / (last - first)) * 0.12
    targets[index] = resting + 102 * effort
  }
  const after = Math.min(targets.length, last + 40)
  for (let index = last; index < after; index++) targets[index]! += 34 * (1 - (index - last) / 40)
}

/** Returns the times without the watch: the watch is charged in the evening, and not worn in some nights. */
function createGaps({ from, night }: Day, asleepAgain: number, random: Random): TimeSpan[] {
  const charging = asleepAgain - random.between(0.5, 2.5) * hour
  const gaps = [{ from: charging, to: charging + random.between(25, 75) * minute }]
  if (random.chance(0.08)) gaps.push({ from, to: night.to + 20 * minute })
  if (random.chance(0.12)) {
    const begin = night.to + random.between(1, 9) * hour
    gaps.push({ from: begin, to: begin + random.between(0.3, 4) * hour })
  }
  return gaps
}

/** Returns the minutes of a day within a span: the first minute, and the minute after the last. */
function getMinutes({ from, to }: Day, span: TimeSpan): [first: number, last: number] {
  const place = (time: number): number => Math.floor((Math.min(Math.max(time, from), to) - from) / minute)
  return [place(span.from), place(span.to)]
}
