/**
 * The queries measured on accounts of growing size. To add one, add a line: a name, and the query string after `events?`, which
 * must find the same number of events at any size.
 */
import { rootStream, eventInterval, getEventTime } from './seed/seeder.js'
import { getAccessName, permittedStreams, quietCount, listStreamIds, starred } from './seed/shapes.js'

/** A query. Its path depends on the account's number of events. */
export interface Query {
  readonly name: string
  readonly path: (size: number) => string
  /** Name of the access that makes the query; by default the personal access. */
  readonly permitted?: string
  readonly findsNothing?: boolean
}

/** For accounts with a thousand streams, also by accesses to some of them. */
export const broadQueries: readonly Query[] = [
  query('latest 20', 'limit=20'),
  query('latest 20, oldest first', 'limit=20&sortAscending=true'),
  query('time range', size => selectRange(getLateEvent(size), getLateEvent(size) + 20)),
  query('period overlap', size => selectMoment(getLateEvent(size))),
  query('period overlap in a group', size => {
    const from = getEventTime(getLateEvent(size)) + eventInterval / 3
    return `streams=group-7&limit=10&fromTime=${from}&toTime=${getEventTime(getLateEvent(size) + 1000)}`
  }),
  query('modifiedSince', size => `modifiedSince=${getEventTime(size - 21)}&limit=20`),
  query('a word in all texts', 'text=coffee&limit=20'),
  { ...query('a word in no text', 'text=nowhere&limit=20'), findsNothing: true },
  query('a rare type', 'types=mass/kg&limit=20'),
  query('a class of types', 'types=blood-pressure/*&limit=20'),
  byStreams('one busy stream', ['busy-3']),
  byStreams('a group of 50 streams', ['group-3']),
  byStreams('all 1,000 streams', [rootStream]),
  byStreams('any of 2 busy', listStreamIds('busy', 2)),
  byStreams('any of 90 busy', listStreamIds('busy', 90)),
  byStreams('any of 2 rare', listStreamIds('rare', 2)),
  byStreams('any of 10 rare', listStreamIds('rare', 10)),
  byStreams('any of 20 quiet', listStreamIds('quiet', 20)),
  byStreams('any of 500 quiet', listStreamIds('quiet', 500)),
  // The latest events of these streams are several thousand events back.
  byStreams('any of 400 quiet recently', listStreamIds('quiet', quietCount).slice(-400)),
  byStreams('any of 500 mixed', [
    ...listStreamIds('busy', 90),
    ...listStreamIds('quiet', 400),
    ...listStreamIds('rare', 10)
  ]),
  byStreams('all: in the root and starred', { any: [rootStream], all: [starred] }),
  byStreams('all: busy and starred', { any: ['busy-3'], all: [starred] }),
  byStreams('all: in the root and rare', { any: [rootStream], all: ['rare-1'] }),
  byStreams('not: 1 busy', { any: [rootStream], not: ['busy-3'] }),
  byStreams('not: all 90 busy', { any: [rootStream], not: listStreamIds('busy', 90) }),
  byStreams('not: 500 quiet', { any: [rootStream], not: listStreamIds('quiet', 500) }),
  byStreams('not: all busy, 410 quiet, starred', {
    any: ['*'],
    not: [...listStreamIds('busy', 90), ...listStreamIds('quiet', 410), starred]
  }),
  byStreams('not: all but rare', {
    any: listStreamIds('rare', 10),
    not: [...listStreamIds('busy', 90), ...listStreamIds('quiet', 400)]
  }),
  byStreams('any, all and not', { any: ['group-3', 'group-4'], all: [starred], not: ['busy-3'] }),
  byStreams('two queries', [{ any: ['busy-3'], not: [starred] }, { any: ['rare-1'] }]),
  ...permittedStreams.map(([kind, count]) => {
    const name = getAccessName(kind, count)
    return { ...query(`latest 10, permitted: ${name}`, 'limit=10'), permitted: name }
  })
]

/** For accounts in which most events are trashed. */
export const trashQueries: readonly Query[] = [
  query('trash in front: latest 20', 'limit=20'),
  query('trash in front: one stream', 'limit=10&streams=busy-3'),
  query('trash in front: all 1,000 streams', `limit=20&streams=${rootStream}`),
  query('trash in front: 10 rare', `limit=20&streams=${JSON.stringify(listStreamIds('rare', 10))}`),
  query('trash in front: time range', selectRange(500, 520)),
  query('trash in front: all there is since', `fromTime=${getEventTime(980)}&toTime=${getEventTime(1e8)}`),
  query('trash in front: modifiedSince', `modifiedSince=${getEventTime(900)}&limit=20`),
  query('the trash itself', 'state=trashed&limit=20'),
  query('live and trashed', 'state=all&limit=20')
]

function query(name: string, path: string | Query['path']): Query {
  return { name, path: typeof path === 'string' ? () => path : path }
}

function byStreams(name: string, streams: unknown): Query {
  return query(name, `limit=10&streams=${encodeURIComponent(JSON.stringify(streams))}`)
}

/** Returns the number of an event in the last quarter of the account, at the same position in the pattern of durations for any size. */
function getLateEvent(size: number): number {
  return Math.floor((size * 0.75) / 40) * 40
}

/** Selects the events from one number up to another. */
function selectRange(from: number, to: number): string {
  return `fromTime=${getEventTime(from)}&toTime=${getEventTime(to) - 1}`
}

/** Selects a moment between two events, when only periods are found. */
function selectMoment(number: number): string {
  return `fromTime=${getEventTime(number) + eventInterval / 3}&toTime=${getEventTime(number) + eventInterval / 2}`
}
