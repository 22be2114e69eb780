/** Watches events as they are stored: `words` and `arrived`. (docs/api/rules.md#conditions) */
import type { Event } from '../../schemas/event.js'
import { maxLag, type ConditionOf, type RuleProblem } from '../../schemas/rule.js'
import { channelKey } from '../channels/account-messages.js'
import { readOwn } from '../measures/read-own.js'
import { isTrashed, isWithin } from '../streams/tree.js'
import type { Episodes } from './episodes.js'
import { runSteps } from '../../storage/steps.js'
import { maxLengthAtOnce, pickEvents } from './read-events.js'
import { mayReadAll, type RuleCall, type Watcher } from './rule-call.js'

/** Event types whose words count. */
export const noteTypes = ['note/*'] as const
/** Maximum number of events of one evaluation. */
const maxEvents = 500
/** Maximum number of characters of a note that are searched. */
const maxCharacters = 100_000

/** Watches for words in new notes. Returns `forbidden` if a stream cannot be read. */
export function watchWords(call: RuleCall, condition: ConditionOf<'words'>): Watcher | RuleProblem {
  const hasWord = createWordTest(condition.anyOf)
  const { streamIds } = condition
  if (!mayReadAll(call, streamIds)) return 'forbidden'
  return createEventWatcher(call, {
    streamIds,
    types: noteTypes,
    isMatch: (event, after) => event.created > after && hasWord(event),
    isStillMatch(id) {
      const { events } = call.store
      const event = events.isLarger(id, maxLengthAtOnce) ? undefined : events.find(id)
      return !event || hasWord(event)
    }
  })
}

/** Watches for data from an access. Returns `forbidden` if the caller may not know of the connection. */
export function watchArrivals(call: RuleCall, condition: ConditionOf<'arrived'>): Watcher | RuleProblem {
  const accessId = findSender(call, condition)
  if (accessId === undefined) return 'forbidden'
  return createEventWatcher(call, { isMatch: ({ modifiedBy }) => isFrom(modifiedBy, accessId) })
}

/** Returns the access from which data arrives; `undefined` if the caller may not know of the connection. */
export function findSender(call: RuleCall, condition: ConditionOf<'arrived'>): string | undefined {
  if ('accessId' in condition) return condition.accessId
  if (!call.caller.isPersonal) return undefined
  return call.store.connections.find(condition.connectionId)?.connection.accessId
}

/** Returns whether an author (`createdBy`, `modifiedBy`) is an access, with or without a caller id. */
export function isFrom(author: string, accessId: string): boolean {
  return author === accessId || author.startsWith(`${accessId} `)
}

/** Returns whether an event is a message of a channel: rules must not cause themselves to fire. */
export function isChannelMessage({ clientData }: Pick<Event, 'clientData'>): boolean {
  return readOwn(clientData, channelKey) !== undefined
}

/** Returns a function that tests whether a note has one of the words, as a whole word and in any case. */
export function createWordTest(words: readonly string[]): (event: Event) => boolean {
  const escaped = words.map(word =>
    normalize(word)
      .trim()
      .replaceAll(/[$()*+./?[\\\]^{|}]/g, String.raw`\$&`)
  )
  const pattern = new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${escaped.join('|')})(?![\p{L}\p{N}])`, 'u')
  return ({ content, description }) => {
    const texts = [description, ...listTexts(content)].filter(text => typeof text === 'string')
    return texts.some(text => pattern.test(normalize(text.slice(0, maxCharacters))))
  }
}

function normalize(text: string): string {
  return text.normalize('NFC').toLowerCase()
}

/** Returns the texts of a content: itself, or its members. */
function listTexts(content: unknown): unknown[] {
  return typeof content === 'object' && content !== null ? Object.values(content) : [content]
}

interface EventWatch {
  readonly streamIds?: readonly string[] | undefined
  readonly types?: readonly string[]
  /** `after`: modification time of the last event before. */
  readonly isMatch: (event: Event, after: number) => boolean
  /** Returns whether an event that has matched still does: it may have been changed before a message is sent. */
  readonly isStillMatch?: (id: string) => boolean
}

/**
 * Creates a watcher of stored events that match, and were modified since the last evaluation. Messages of
 * channels, and events that were old when they were stored, do not count.
 */
function createEventWatcher(
  call: RuleCall,
  { isMatch, isStillMatch, streamIds, types }: EventWatch
): Watcher {
  const { events, streams } = call.store
  const watched = streamIds?.map(id => streams.find(id))
  const isWatched = (id: string): boolean => {
    const node = streams.find(id)
    if (!node || isTrashed(node)) return false
    return !watched || watched.some(each => each && isWithin(node, each))
  }
  return {
    isReadable({ cause }) {
      const found = typeof cause === 'string' ? events.findOutline(cause) : undefined
      if (!found || found.trashed || !call.caller.mayReadEvent(found.streamIds)) return false
      return found.streamIds.some(isWatched) && (isStillMatch?.(found.id) ?? true)
    },
    feed(episodes, { now, since }) {
      const { state } = episodes
      // What could not be read when it was stored does not count later.
      const after = Math.max(state.modifiedTo ?? -Infinity, state.activeFrom, since - maxLag)
      const steps = pickEvents(
        () => call,
        {
          streamIds,
          ...(types && { types }),
          modifiedSince: after,
          limit: maxEvents,
          maxLength: maxLengthAtOnce
        },
        event => ({
          id: event.id,
          modified: event.modified,
          isMet: !isChannelMessage(event) && isRecent(event, now) && isMatch(event, after)
        })
      )
      const found = runSteps(steps) ?? []
      for (const event of found.toSorted((a, b) => a.modified - b.modified)) {
        state.modifiedTo = Math.max(state.modifiedTo ?? -Infinity, event.modified)
        if (event.isMet) add(episodes, event, now)
      }
    }
  }
}

/** Returns whether what an event says was recent when it was stored. Data of series is as recent as its last write. */
function isRecent({ modified, time, type }: Event, now: number): boolean {
  // Modification times go on increasing if the clock is set back.
  return type.startsWith('series:') || time >= Math.min(modified, now) - maxLag
}

function add(episodes: Episodes, { id, modified }: Pick<Event, 'id' | 'modified'>, now: number): void {
  episodes.happen(modified, { now, cause: id })
}
