/** Notes and moods. */
import { coldBegins, type Day, type Plan } from './days.js'
import { createEvent, type EventParams } from './event-params.js'
import { Random, roundTo } from './random.js'
import { sentences } from './sentences.js'

const hour = 3600

/** Returns the notes and the mood of a day. */
export function createDiaryEvents(plan: Plan, day: Day): EventParams[] {
  return [...createNotes(plan, day), ...createMoods(plan, day)]
}

function createNotes({ seed }: Plan, day: Day): EventParams[] {
  const random = new Random(seed, day.number, 'notes')
  if (!random.chance(day.isAway || day.illness > 0 ? 0.95 : 0.6)) return []
  const content = day.illness > 0 ? describeCold(day, random) : describeDay(day, random)
  return [createEvent(day, 'notes', 'note/txt', day.from + random.between(19.5, 22) * hour, { content })]
}

/** Returns up to three sentences about the day. */
function describeDay(day: Day, random: Random): string {
  const usual = [day.isWeekend ? 'weekend' : 'work', getSeason(day), 'people', 'food', 'evening'] as const
  const possible: readonly (keyof typeof sentences)[] = day.isAway ? ['holiday', 'food'] : usual
  const chosen = possible.filter(() => random.chance(0.4))
  if (chosen.length === 0) chosen.push(possible[0]!)
  if (day.run && !day.isAway && !day.isUnworn) chosen.unshift('run')
  return chosen
    .slice(0, 3)
    .map(topic => random.pick(sentences[topic]))
    .join(' ')
}

function describeCold({ ago }: Day, random: Random): string {
  const begin = 2 * (coldBegins - ago)
  return random.pick(sentences.cold.slice(begin, begin + 4))
}

function getSeason({ from }: Day): 'winter' | 'spring' | 'summer' | 'autumn' {
  const month = new Date(from * 1000).getUTCMonth()
  return (['winter', 'spring', 'summer', 'autumn'] as const)[Math.floor(((month + 1) % 12) / 3)]!
}

function createMoods({ seed }: Plan, day: Day): EventParams[] {
  const random = new Random(seed, day.number, 'mood')
  if (!random.chance(0.8)) return []
  const raised = (day.isWeekend ? 0.07 : 0) + (day.isAway ? 0.15 : 0) + (day.run ? 0.06 : 0)
  const content = random.normal(0.62 + raised - 0.35 * day.illness, 0.11)
  const time = day.from + random.between(20, 22) * hour
  return [
    createEvent(day, 'mood', 'mood/rating', time, { content: roundTo(Math.min(1, Math.max(0, content)), 2) })
  ]
}
