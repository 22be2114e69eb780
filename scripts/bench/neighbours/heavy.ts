/** All that somebody may ask for that is heavy. */
import { rareStream, seedTime, streamCount } from '../seed.js'
import { goingStream, type Deletion } from './cast.js'
import { others, trees } from './large-accounts.js'
import { batches, bodies, series } from './large-bodies.js'
import { everything, nothing, type Heavy } from './thing.js'

const many = Array.from({ length: streamCount - 1 }, (_, i) => `stream-${i}`)

/** All of them: they take much memory. */
export function heavyThings(): Heavy[] {
  return [
    nothing,
    read('events.get, 100,000', '/events?limit=100000'),
    read('events.get, 100,000 oldest first, app', '/events?limit=100000&sortAscending=true', true),
    read('events.get, skip 900,000', '/events?limit=20&skip=900000'),
    read('events.get, content, none found', `/events?${everything}&content=${absent()}`),
    read(
      'events.get, any/all/not, few found',
      `/events?${everything}&state=all&streams=${json([
        { any: many.slice(1), all: [rareStream], not: [many[0]] },
        { any: many, all: many.slice(2, 4) }
      ])}`
    ),
    read(
      'events.get, unknown type',
      `/events?${everything}&types=mass/kg&streams=${json({ any: many, not: many.slice(0, 50) })}`
    ),
    read(
      'events.get, modifiedSince',
      `/events?${everything}&state=all&modifiedSince=${seedTime - 1}&includeDeletions=true`
    ),
    read('events.get, periods', `/events?${everything}&fromTime=${seedTime + 1e7}&toTime=${seedTime + 4e7}`),
    ...batches(),
    ...series(),
    ...trees(),
    ...others(),
    ...bodies(),
    deletion('deleted'),
    deletion('merged'),
    deletion('deleted, history kept', true),
    deletion('merged, history kept', true),
    {
      name: 'users.delete, large',
      isOnce: true,
      do: async (hands, { large }) => await hands.ask(large, 'DELETE', `/../users/${large.username}`)
    }
  ]
}

function read(name: string, path: string, isApp = false): Heavy {
  return {
    name,
    async do(hands, { large }) {
      await hands.ask(isApp ? { ...large, token: large.appToken } : large, 'GET', path)
    }
  }
}

function deletion(name: Deletion, keepsHistory?: true): Heavy {
  const isMerged = name.startsWith('merged')
  return {
    name: `streams.delete of 100,000 events, ${name}`,
    isOnce: true,
    ...(keepsHistory && { keepsHistory }),
    async do(hands, { going }) {
      await hands.ask(going[name], 'DELETE', `/streams/${goingStream}?mergeEventsWithParent=${isMerged}`)
    }
  }
}

function absent(): string {
  return json([{ path: 'nothing', eq: 1 }])
}

function json(value: unknown): string {
  return encodeURIComponent(JSON.stringify(value))
}
