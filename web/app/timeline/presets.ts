/** Preset lengths of views, in whole days. Times are in seconds. */
import { getDayStart } from '../../../schemas/zones.js'
import { getDayAt, type Zones } from '../lanes/calendar.js'
import { getLength, type View } from '../lanes/view.js'

export const presets = ['day', 'week', 'month', 'year', 'all'] as const
export type Preset = (typeof presets)[number]

const days: Readonly<Record<Exclude<Preset, 'all'>, number>> = { day: 1, week: 7, month: 30, year: 365 }
const day = 86_400

/** Returns the view of a preset that ends with the day of `last`. */
export function createPresetView(preset: Exclude<Preset, 'all'>, last: number, zones: Zones): View {
  const { number, zone } = getDayAt(last, zones)
  return { from: getDayStart(zone, number + 1 - days[preset]), to: getDayStart(zone, number + 1) }
}

/** Moves a view by its length in days, earlier or later. Days with clock changes differ in length. */
export function stepView(view: View, direction: 1 | -1, zones: Zones): View {
  const length = getLength(view)
  const count = Math.round(length / day)
  if (count < 1) return { from: view.from + direction * length, to: view.to + direction * length }
  return {
    from: addDays(view.from, direction * count, zones),
    to: addDays(view.to, direction * count, zones)
  }
}

function addDays(time: number, count: number, zones: Zones): number {
  const { from, number, zone } = getDayAt(time, zones)
  return getDayStart(zone, number + count) + (time - from)
}

/** Returns the preset that a view matches, if any. */
export function findPreset(view: View, whole: View | undefined): Preset | undefined {
  const length = getLength(view)
  const known = presets.find(preset => preset !== 'all' && Math.abs(length - days[preset] * day) <= 3700)
  if (known) return known
  const isAll = whole && Math.abs(getLength(whole) - length) < day && Math.abs(whole.from - view.from) < day
  return isAll ? 'all' : undefined
}
