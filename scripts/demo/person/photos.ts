/** Photographs, most of them taken on weekends and holidays. */
import type { Day, Plan } from './days.js'
import { createEvent, type EventWithFile } from './event-params.js'
import { Random } from './random.js'
import { drawLandscape } from './landscape.js'

const hour = 3600
const captions = [
  'By the lake',
  'From the jetty',
  'On the way up',
  'Evening light',
  'After the rain',
  'Nobody about',
  'The long way home',
  'Clouds coming in',
  'Seen on a run',
  'First light'
]

/** Returns the photographs taken on a day. Returns none during a cold. */
export function createPhotos({ seed }: Plan, day: Day): EventWithFile[] {
  const random = new Random(seed, day.number, 'photos')
  if (day.illness > 0) return []
  const count = day.isAway ? random.whole(0, 3) : random.chance(day.isWeekend ? 0.3 : 0.055) ? 1 : 0
  return Array.from({ length: count }, (_, index) => {
    const time = day.from + (9 + 3.2 * index + random.between(0, 3)) * hour
    const description = day.isAway ? `${random.pick(captions)}, on holiday` : random.pick(captions)
    const name = `${day.date}-${index + 1}.png`
    return {
      fact: createEvent(day, 'photos', 'picture/attached', time, { description }),
      file: { name, type: 'image/png', bytes: drawLandscape(random) }
    }
  })
}
