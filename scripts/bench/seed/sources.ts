/** An account whose weights come from several sources: those of a series, and events of three streams; and data of many other measures. */
import { measures } from '../../../schemas/measures/catalogue.js'
import type { Event } from '../../../schemas/event.js'
import type { UserStore } from '../../../storage/user/user-store.js'
import { createEvent, earlyTime, insertStream, rootStream, type AccountShape } from './seeder.js'

/** Number of streams beside the series, and seconds between the events of each. */
const [sourceCount, interval] = [3, 900]
/** When the first of a year begins: see the series of the seeder. */
const firstTime = earlyTime
const yearSeconds = 365 * 86_400
const weighings = (sourceCount * yearSeconds) / interval
/** Numerical measures that have data, and the number of events of each. */
const [otherCount, eventsEach] = [59, 100]
const others = measures.filter(({ id, kind }) => id !== 'weight' && (kind === 'level' || kind === 'sum'))

/** Ids of the measures that have data. */
export const measureIds = ['weight', ...others.slice(0, otherCount).map(({ id }) => id)]
/** Number of events of the account. */
export const eventCount = weighings + others.slice(0, otherCount).length * eventsEach

export const sourcesShape: AccountShape = {
  accesses: [],
  insertStreams(store: UserStore) {
    insertStream(store, rootStream, null)
    for (let source = 0; source < sourceCount; source++) insertStream(store, `source-${source}`, rootStream)
  },
  event(i: number): Event {
    if (i < weighings) {
      const time = firstTime + Math.floor(i / sourceCount) * interval
      return toNumber(createEvent(`source-${i % sourceCount}`, time), 'mass/kg', i)
    }
    const at = i - weighings
    const measure = others[Math.floor(at / eventsEach)]!
    return toNumber(createEvent('source-0', firstTime + yearSeconds + at), measure.types[0]!, at)
  }
}

function toNumber(event: Event, type: string, i: number): Event {
  return { ...event, type, content: 60 + ((i * 7) % 200) / 10 }
}
