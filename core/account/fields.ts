/** The account streams of a configuration: which fields an account has, and what may be done with each. (docs/spec/accounts.md#system-streams) */
import type { Event } from '../../schemas/event.js'
import type { Stream } from '../../schemas/stream.js'
import type { Origin, SystemStreams } from '../../storage/streams/system-streams.js'
import type { Config } from '../settings/config.js'
import { createId } from '../ids.js'
import type { CustomStream } from '../settings/custom-streams.js'
import { accountId, activeId, helpersId, uniqueId } from '../system-ids.js'
import type { SystemKind, SystemStream } from '../../storage/streams/node.js'

/** A field of the account, or a group of fields. */
export interface AccountField {
  /** The name of the field: the id of its stream without prefix. */
  readonly name: string
  readonly streamId: string
  /** The type of the events that hold its values. */
  readonly type: string
  readonly isUnique: boolean
  readonly isShown: boolean
  readonly isEditable: boolean
  readonly isRequired: boolean
  readonly isIndexed: boolean
  /** Whether the value of the field is the account's current storage use. */
  readonly isCounted: boolean
  /** The default value. */
  readonly defaultValue: string | number | null
  readonly pattern?: RegExp
  readonly patternError?: { readonly code: string; readonly message: string }
  /** Names of the fields in the group; a group has no values of its own. */
  readonly children: readonly string[]
  /** Whether the field is in no group. */
  readonly isTopLevel: boolean
}

/** Creation time of system streams, the same for every account, in seconds. */
const systemStreamsCreated = 1_500_000_000
const tracking = {
  created: systemStreamsCreated,
  createdBy: 'system',
  modified: systemStreamsCreated,
  modifiedBy: 'system'
}

/** The fields that every account has, below the account or below another. */
const builtInFields: readonly (CustomStream & { readonly isCounted?: true })[] = [
  { id: 'language', name: 'Language', type: 'language/iso-639-1', isIndexed: true, default: 'en' },
  defineHidden('appId', 'identifier/string', { isRequiredInValidation: true, default: '' }),
  defineHidden('invitationToken', 'token/string', { default: 'no-token' }),
  defineHidden('referer', 'identifier/string', {}),
  {
    id: 'storageUsed',
    name: 'Storage used',
    type: 'data-quantity/b',
    isEditable: false,
    children: [defineCounted('dbDocuments', 'Db Documents'), defineCounted('attachedFiles', 'Attached files')]
  }
]

const email: CustomStream = {
  id: 'email',
  name: 'Email',
  type: 'email/string',
  isIndexed: true,
  isUnique: true,
  isRequiredInValidation: true
}

function defineHidden(id: string, type: string, more: Partial<CustomStream>): CustomStream {
  return { id, name: id, type, isIndexed: true, isShown: false, isEditable: false, ...more }
}

function defineCounted(id: string, name: string): CustomStream {
  return { id, name, type: 'data-quantity/b', isEditable: false, isCounted: true, default: 0 }
}

/** All system streams, and the account fields among them. */
export class AccountStreams implements SystemStreams {
  readonly list: readonly SystemStream[]
  /** By the ids of their streams. */
  readonly fields: ReadonlyMap<string, AccountField>
  /** By their names. */
  readonly byName: ReadonlyMap<string, AccountField>
  readonly #tags: Config['backwardCompatibility']['tags']

  constructor({ backwardCompatibility, custom }: Pick<Config, 'backwardCompatibility' | 'custom'>) {
    const { account, other } = custom.systemStreams
    const ownEmail = account.find(({ id }) => id === email.id)
    const mail: CustomStream = { ...email, ...ownEmail, isIndexed: true, isUnique: true }
    const builder = new StreamsBuilder()
    builder.add('account', toStream(accountId, 'Account', null), false)
    builder.fields(builtInFields, ':_system:', accountId)
    builder.fields([mail, ...account.filter(each => each !== ownEmail)], ':system:', accountId)
    builder.add('mark', toStream(helpersId, 'Helpers', null), false)
    builder.add('mark', toStream(activeId, 'Active', helpersId), false)
    builder.add('mark', toStream(uniqueId, 'unique', helpersId), true)
    builder.addOtherStreams(other, null)
    this.list = builder.list
    this.fields = builder.byId
    this.byName = new Map([...builder.byId.values()].map(field => [field.name, field]))
    this.#tags = backwardCompatibility.tags
  }

  /** Returns whether an id is the id of a tag stream, or of their root. */
  readonly isTagId = (id: string): boolean => {
    const { isActive, rootStreamId, streamIdPrefix } = this.#tags
    return isActive && (id.startsWith(streamIdPrefix) || id === rootStreamId)
  }

  /**
   * Creates the event that holds the value in force of a field; `undefined` for an unknown field, and for a
   * group of fields.
   */
  readonly createEvent = (name: string, content: unknown, { time, at, by }: Origin): Event | undefined => {
    const field = this.byName.get(name)
    if (!field || field.children.length > 0) return undefined
    const streamIds = getActiveStreamIds(field)
    return {
      id: createId(),
      streamIds,
      streamId: field.streamId,
      time,
      type: field.type,
      content,
      ...(this.#tags.isActive && { tags: [] }),
      created: at,
      createdBy: by,
      modified: at,
      modifiedBy: by
    }
  }
}

/** Returns the streams of the value in force of a field. */
export function getActiveStreamIds({ isUnique, streamId }: AccountField): string[] {
  return [streamId, activeId, ...(isUnique ? [uniqueId] : [])]
}

const streamsByConfig = new WeakMap<Config, AccountStreams>()

/** Returns the account streams of a configuration, built once. */
export function getAccountStreams(config: Config): AccountStreams {
  let streams = streamsByConfig.get(config)
  if (!streams) streamsByConfig.set(config, (streams = new AccountStreams(config)))
  return streams
}

function toStream(id: string, name: string, parentId: string | null): Stream {
  return { id, name, parentId, ...tracking }
}

/** Collects streams and fields. */
class StreamsBuilder {
  readonly list: SystemStream[] = []
  readonly byId = new Map<string, AccountField>()

  /** Adds a system stream to the list. */
  add(kind: SystemKind, each: Stream, isHidden: boolean): void {
    this.list.push({ kind, stream: each, isHidden })
  }

  /**
   * Adds account fields and, recursively, their children: the stream and the definition of each. `prefix` begins their
   * stream ids.
   */
  fields(
    definitions: readonly (CustomStream & { readonly isCounted?: true })[],
    prefix: string,
    parentId: string,
    isWithinHidden = false
  ): void {
    for (const each of definitions) {
      const streamId = prefix + each.id
      const children = each.children ?? []
      const isHidden = isWithinHidden || each.isShown === false
      const { regexError, regexValidation } = each
      this.add('account', toStream(streamId, each.name ?? each.id, parentId), isHidden)
      this.byId.set(streamId, {
        name: each.id,
        streamId,
        type: each.type,
        isUnique: each.isUnique === true,
        isIndexed: each.isIndexed === true,
        isShown: !isHidden,
        isEditable: each.isEditable !== false && children.length === 0,
        isRequired: each.isRequiredInValidation === true,
        isCounted: each.isCounted === true,
        defaultValue: each.default ?? null,
        ...(typeof regexValidation === 'string' && { pattern: new RegExp(regexValidation, 'u') }),
        ...(regexError && { patternError: regexError }),
        children: children.map(({ id }) => id),
        isTopLevel: parentId === accountId
      })
      this.fields(children, prefix, streamId, isHidden)
    }
  }

  /** Adds configured system streams that are not account fields, with their descendants. */
  addOtherStreams(definitions: readonly CustomStream[], parentId: string | null): void {
    for (const { children = [], id, name } of definitions) {
      this.add('other', toStream(`:system:${id}`, name ?? id, parentId), false)
      this.addOtherStreams(children, `:system:${id}`)
    }
  }
}
