/** Labels of the axes: times by clock and calendar, values at round numbers. Times are in seconds. */
import { getOffset } from '../../../schemas/zones.js'
import { getDayAt, listDays, getMonthStart, getMonth, getWeekday, getZoneAt, type Zones } from './calendar.js'
import { getLength, type View } from './view.js'

type TickUnit = 'second' | 'minute' | 'hour' | 'day' | 'month' | 'year'

export interface Tick {
  readonly time: number
  readonly unit: TickUnit
  /** Whether this is the first tick of a larger unit: a day, a month, a year. */
  readonly isStrong: boolean
  readonly zone: string
}

const day = 86_400
/** Steps within a day, in seconds. */
const clockSteps = [1, 5, 15, 30, 60, 300, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200]
const daySteps = [1, 2, 7, 14]
const monthSteps = [1, 2, 3, 6]
const yearSteps = [1, 2, 5, 10, 20, 50]

/** Widths of labels in pixels: `14:30`, `28`, `Nov`, `2026`. */
const clockWidth = 54
const dayWidth = 33
const monthWidth = 40
const yearWidth = 46

/** Returns the time labels of a view with this width in pixels. */
export function createTimeTicks(view: View, pixels: number, zones: Zones): Tick[] {
  const perPixel = getLength(view) / Math.max(1, pixels)
  const clock = clockSteps.find(step => step >= clockWidth * perPixel)
  if (clock !== undefined) return createClockTicks(view, clock, zones)
  const days = daySteps.find(step => step * day >= dayWidth * perPixel)
  if (days !== undefined) return createDayTicks(view, days, zones)
  const months = monthSteps.find(step => step * 30.4 * day >= monthWidth * perPixel)
  if (months !== undefined) return createMonthTicks(view, months, zones)
  const years = yearSteps.find(step => step * 365 * day >= yearWidth * perPixel) ?? 100
  return createMonthTicks(view, years * 12, zones)
}

/**
 * Returns round values within a range, about `most` at most. Returns only `low` if the range is empty, and
 * nothing if it is not finite.
 */
export function createValueTicks(low: number, high: number, most: number): number[] {
  if (!Number.isFinite(high - low)) return []
  if (high <= low) return [low]
  const rough = (high - low) / Math.max(1, most)
  const power = 10 ** Math.floor(Math.log10(rough))
  // Steps of 30 and 40 read as well as 20 and 50; 0.3 does not.
  const round = power >= 10 ? [1, 2, 2.5, 3, 4, 5, 10] : [1, 2, 2.5, 5, 10]
  const step = round.map(each => each * power).find(each => each >= rough * 0.999) ?? rough
  // The smallest numbers cannot be divided.
  if (!(step > 0)) return [low]
  const first = Math.ceil(low / step - 1e-9)
  const last = Math.floor(high / step + 1e-9)
  // Multiplying avoids accumulating rounding errors.
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) =>
    Number(((first + index) * step).toPrecision(12))
  )
}

/** Lists times of day at a step in seconds, in local time of each day. Midnights are strong. */
function createClockTicks(view: View, step: number, zones: Zones): Tick[] {
  const unit = step < 60 ? 'second' : step < 3600 ? 'minute' : 'hour'
  const ticks: Tick[] = []
  for (const { from, to, zone } of listDays(view, zones, 20)) {
    const first = getDayAt(from, zones).from
    const offset = getOffset(zone, first)
    const begin = Math.max(from, view.from)
    const early = Math.max(0, Math.floor((begin - first) / step) - Math.ceil(7200 / step))
    for (let at = early; first + at * step < Math.min(to, view.to) + 7200; at++) {
      // After a clock change within the day, full hours are shifted.
      const plain = first + at * step
      const time = step < 1800 ? plain : plain - (getOffset(zone, plain) - offset)
      if (time < begin || time >= to || time > view.to || time === ticks.at(-1)?.time) continue
      ticks.push({ time, unit, isStrong: at === 0, zone })
    }
  }
  return ticks
}

/** Lists days at a step in days. The first of a month is strong. */
function createDayTicks(view: View, step: number, zones: Zones): Tick[] {
  const ticks: Tick[] = []
  let before: number | undefined
  for (const { from, number, zone } of listDays(view, zones)) {
    if (from < view.from || from > view.to) continue
    const isFirst = getMonth(number) !== getMonth(number - 1)
    // Weeks begin on Mondays. Days are counted from 1970, so that labels stay in place while the user drags.
    const isOn =
      step < 7
        ? number % step === 0
        : getWeekday(number) === 1 && Math.floor((number + 3) / 7) % (step / 7) === 0
    if (!isOn && !(isFirst && step < 7)) continue
    const month = getMonth(number)
    // Weeks rarely begin with a month: its first Monday stands for it.
    const isStrong = step < 7 ? isFirst : before !== undefined && month !== before
    before = month
    ticks.push({ time: from, unit: 'day', isStrong, zone })
  }
  // Of two overlapping labels, the first of the month is kept.
  return step === 1
    ? ticks
    : ticks.filter(
        (tick, at) =>
          tick.isStrong ||
          (!(ticks[at + 1]?.isStrong === true && ticks[at + 1]!.time - tick.time < 1.5 * day) &&
            !(ticks[at - 1]?.isStrong === true && tick.time - ticks[at - 1]!.time < 1.5 * day))
      )
}

function createMonthTicks(view: View, step: number, zones: Zones): Tick[] {
  const ticks: Tick[] = []
  const first = Math.floor(getMonth(getDayAt(view.from, zones).number) / step) * step
  for (let month = first; ; month += step) {
    const time = getMonthStart(month, zones)
    if (time > view.to) return ticks
    if (time < view.from) continue
    const isYear = month % 12 === 0
    const zone = getZoneAt(time, zones.periods, zones.fallback)
    ticks.push({ time, unit: step >= 12 ? 'year' : 'month', isStrong: isYear && step < 12, zone })
  }
}
