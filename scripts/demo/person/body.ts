/** Weight, blood pressure, temperature, glucose, sleep and steps. */
import { createEvent, type EventParams } from './event-params.js'
import type { Day, Plan } from './days.js'
import { getRestingRate } from './heart-rates.js'
import { Random, roundTo } from './random.js'

const [hour, minute] = [3600, 60]
/** Glucose is measured for two weeks, starting this many days before the last day. */
const glucoseBegins = 48
const glucoseDays = 14
/** Days before the last day on which blood pressure tablets begin. */
export const tabletsBegin = 188

/** Returns the measurements of a day, and its totals. */
export function createBodyEvents(plan: Plan, day: Day): EventParams[] {
  return [
    ...createWeight(plan, day),
    ...createBloodPressure(plan, day),
    ...createTemperature(plan, day),
    ...createGlucose(plan, day),
    ...createSleep(plan, day),
    ...createSteps(plan, day)
  ]
}

/** Returns the weight of most days at home: it falls over the year, and rises after the holiday. */
function createWeight({ seed }: Plan, day: Day): EventParams[] {
  const random = new Random(seed, day.number, 'weight')
  if (day.isAway || !random.chance(0.86)) return []
  const afterHoliday = day.ago < 129 && day.ago > 100 ? (day.ago - 100) * 0.04 : 0
  const kilograms =
    random.normal(76.4, 0.3) -
    4.3 * day.progress +
    afterHoliday +
    (day.isWeekend ? 0.25 : 0) -
    0.6 * day.illness
  return [
    createEvent(day, 'weight', 'mass/kg', day.night.to + 12 * minute, { content: roundTo(kilograms, 1) })
  ]
}

/** Returns the blood pressure of some days at home: it falls once tablets are taken. */
function createBloodPressure({ seed }: Plan, day: Day): EventParams[] {
  const random = new Random(seed, day.number, 'pressure')
  if (day.isAway || !random.chance(0.37)) return []
  const eased = Math.min(1, Math.max(0, (tabletsBegin - day.ago) / 40))
  const content = {
    systolic: Math.round(random.normal(138 - 13 * eased, 4.5)),
    diastolic: Math.round(random.normal(88 - 8 * eased, 3.2)),
    rate: Math.round(random.normal(getRestingRate(day) + 5, 3))
  }
  return [
    createEvent(day, 'blood-pressure', 'blood-pressure/mmhg-bpm', day.night.to + 25 * minute, { content })
  ]
}

function createTemperature({ seed }: Plan, day: Day): EventParams[] {
  const random = new Random(seed, day.number, 'temperature')
  const times = day.illness > 0 ? [0.5, 6, 12] : random.chance(0.12) ? [0.5] : []
  return times.map(hours => {
    const fever = day.illness * (1.6 + 0.05 * hours)
    const content = roundTo(random.normal(36.5, 0.12) + fever, 1)
    return createEvent(day, 'temperature', 'temperature/c', day.night.to + hours * hour, { content })
  })
}

/** Creates a value every five minutes, higher after breakfast, lunch and dinner. */
function createGlucose({ seed }: Plan, day: Day): EventParams[] {
  if (day.ago > glucoseBegins || day.ago <= glucoseBegins - glucoseDays) return []
  const random = new Random(seed, day.number, 'glucose')
  const meals = [
    day.night.to + 0.8 * hour,
    day.from + random.normal(12.4, 0.2) * hour,
    day.from + 19.1 * hour
  ]
  const sizes = meals.map(() => random.between(1.4, 3.2))
  const events: EventParams[] = []
  for (let time = day.from; time < day.to; time += 5 * minute) {
    const mealRise = meals.reduce(
      (sum, meal, index) => sum + sizes[index]! * getMealRise((time - meal) / hour),
      0
    )
    const content = roundTo(random.normal(5.1, 0.09) + mealRise, 1)
    events.push(createEvent(day, 'glucose', 'density/mmol-l', time, { content }))
  }
  return events
}

/** Returns the rise of glucose after a meal, which peaks within the hour and ends after three. */
function getMealRise(hours: number): number {
  return hours <= 0 ? 0 : hours * Math.E * 1.25 * Math.exp(-1.25 * hours)
}

/** Creates the time in bed, and phases of sleep and waking as the watch recorded them. */
function createSleep({ seed }: Plan, day: Day): EventParams[] {
  const { from, to } = day.night
  if (day.isUnworn) return []
  const random = new Random(seed, day.number, 'sleep')
  const inBed = { content: { analysis: 'inBed' }, duration: to - from }
  const events = [createEvent(day, 'sleep', 'sleep/analysis', from, inBed)]
  let time = from + random.between(6, 25) * minute
  while (time < to - 30 * minute) {
    const isBroken = random.chance(0.12 + 0.3 * day.illness)
    const stage =
      time - from < 3.5 * hour && random.chance(0.5) ? 'deep' : random.pick(['core', 'core', 'rem'])
    const content = isBroken ? { analysis: 'awake' } : { analysis: 'asleep', stage }
    const length = isBroken ? random.between(3, 20) * minute : random.between(25, 75) * minute
    const duration = Math.round(Math.min(length, to - time))
    events.push(createEvent(day, 'sleep', 'sleep/analysis', time, { content, duration }))
    time += duration
  }
  return events
}

function createSteps({ seed }: Plan, day: Day): EventParams[] {
  if (day.isUnworn) return []
  const random = new Random(seed, day.number, 'steps')
  const usual = day.isAway
    ? random.normal(15_200, 3100)
    : random.normal(day.isWeekend ? 8600 : 7300, day.isWeekend ? 2600 : 1300)
  const content = Math.round(usual * (1 - 0.75 * day.illness) + (day.run?.metres ?? 0) * 1.05)
  return [createEvent(day, 'steps', 'count/steps', day.from, { content, duration: day.to - day.from })]
}
