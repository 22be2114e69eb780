/** Heavy things that come in one body: batches, series, whatever is as large as a body may be. */
import { postedEvent } from '../sample.js'
import { rootStream } from '../seed.js'
import { emptyStream } from './cast.js'
import type { Heavy } from './thing.js'

/** Batches as long as they may be. */
export function batches(): Heavy[] {
  const creates = JSON.stringify(
    Array.from({ length: 10_000 }, () => ({ method: 'events.create', params: postedEvent(rootStream) }))
  )
  const reads = JSON.stringify(
    Array.from({ length: 40 }, () => ({ method: 'events.get', params: { limit: 1000 } }))
  )
  const searches = JSON.stringify(
    Array.from({ length: 20 }, () => ({
      method: 'events.get',
      params: { content: [{ path: 'nothing', eq: 1 }], limit: 10 }
    }))
  )
  return [
    {
      name: 'batch of 10,000 creates',
      do: async (hands, { wide }) => await hands.ask(wide, 'POST', '/', creates)
    },
    {
      name: 'batch of 40 events.get of 1,000',
      do: async (hands, { large }) => await hands.ask(large, 'POST', '/', reads)
    },
    {
      name: 'batch of 20 searches',
      do: async (hands, { large }) => await hands.ask(large, 'POST', '/', searches)
    }
  ]
}

/** Long series, written and read. */
export function series(): Heavy[] {
  const overwriting = points(0)
  const appended = points(1e7)
  const shuffled = appended.replace('"points":[', '"points":[[99999999.5,1],')
  return [
    {
      name: 'series, 8 MB appended',
      do: async (hands, { large }) =>
        await hands.ask(
          large,
          'POST',
          `/events/${large.seriesIds[1 + (hands.count++ % 20)]}/series`,
          appended
        )
    },
    {
      name: 'series, 8 MB out of order',
      do: async (hands, { large }) =>
        await hands.ask(
          large,
          'POST',
          `/events/${large.seriesIds[21 + (hands.count++ % 20)]}/series`,
          shuffled
        )
    },
    {
      name: 'series, 8 MB overwritten',
      do: async (hands, { large }) =>
        await hands.ask(large, 'POST', `/events/${large.seriesIds[0]}/series`, overwriting)
    },
    {
      name: 'series, all read',
      do: async (hands, { large }) => await hands.ask(large, 'GET', `/events/${large.seriesIds[0]}/series`)
    },
    {
      name: 'series, sampled',
      do: async (hands, { large }) =>
        await hands.ask(large, 'GET', `/events/${large.seriesIds[0]}/series?sample=100000`)
    },
    {
      name: 'series, all deleted',
      isOnce: true,
      do: async (hands, { large }) => {
        for (const id of [large.seriesIds[0], large.seriesIds[1]]) {
          await hands.ask(large, 'DELETE', `/events/${id}`)
          await hands.ask(large, 'DELETE', `/events/${id}`)
        }
      }
    }
  ]
}

/** Bodies as large as they may be. */
export function bodies(): Heavy[] {
  // Nine megabytes of JSON each.
  const text = JSON.stringify({ ...postedEvent(rootStream), content: 'a'.repeat(4e6), type: 'note/txt' })
  const keys = JSON.stringify({
    ...postedEvent(rootStream),
    clientData: Object.fromEntries(Array.from({ length: 500_000 }, (_, i) => [`key-${i}`, i]))
  })
  const numbers = JSON.stringify({
    ...postedEvent(rootStream),
    clientData: { of: Array.from({ length: 1_000_000 }, (_, i) => i / 8) }
  })
  const nested = JSON.stringify({
    ...postedEvent(rootStream),
    clientData: { of: Array.from({ length: 1_500_000 }, () => [[]]) }
  })
  const wrong = JSON.stringify(Array.from({ length: 1_500_000 }, () => ({})))
  const update = JSON.stringify({ clientData: { keys: JSON.parse(keys).clientData } })
  const socketed = JSON.stringify(['events.create', JSON.parse(keys)])
  return [
    {
      name: 'events.create, text of 4 MB',
      do: async (hands, { wide }) => await hands.ask(wide, 'POST', '/events', text)
    },
    {
      name: 'events.create, 1,000,000 numbers',
      do: async (hands, { wide }) => await hands.ask(wide, 'POST', '/events', numbers)
    },
    {
      name: 'events.create, 500,000 keys',
      do: async (hands, { wide }) => await hands.ask(wide, 'POST', '/events', keys, true)
    },
    {
      name: 'events.create, 3,000,000 lists',
      do: async (hands, { wide }) => await hands.ask(wide, 'POST', '/events', nested, true)
    },
    {
      name: 'streams.update, 500,000 keys',
      do: async (hands, { wide }) => await hands.ask(wide, 'PUT', `/streams/${emptyStream}`, update, true)
    },
    {
      name: 'events.create, list of 1,500,000',
      do: async (hands, { wide }) => await hands.ask(wide, 'POST', '/events', wrong, true)
    },
    {
      name: 'events.create, 500,000 keys by socket',
      do: async (hands, { wide }) => await hands.emit(wide, socketed)
    },
    {
      name: 'events.get of large events',
      do: async (hands, { wide }) => await hands.ask(wide, 'GET', '/events?limit=20')
    }
  ]
}

/** Points that come to eight megabytes, two a second. */
function points(from: number): string {
  const rows = Array.from(
    { length: 450_000 },
    (_, i) => `[${(from + i / 2).toFixed(1)},${60 + (i % 200) / 10}]`
  )
  return `{"format":"flatJSON","fields":["deltaTime","value"],"points":[${rows.join(',')}]}`
}
