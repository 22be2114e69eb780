/** Checks the permissions that an app asks for against the existing streams. (docs/spec/accesses.md#check-app) */
import type { StreamRepository } from '../../storage/repositories/streams.js'
import { getAuditedAccess } from '../audit-ids.js'
import { assertNoTagNames, type RequestedPermission, type RequestedStreamPermission } from './granting.js'
import type { Call } from '../call/method.js'
import { toCurrentId } from '../account/older-ids.js'
import { maxNameLength } from '../../schemas/scalars.js'
import { refuseParams } from '../validation/params.js'

/**
 * The permissions to show to the user; `error` says that a proposed name was in use, so that another name is proposed.
 */
interface CheckedPermissions {
  readonly checkedPermissions: RequestedPermission[]
  readonly error?: { readonly id: string; readonly message: string }
}

/**
 * Checks requested permissions. Permissions on streams that exist get the stream's `name`; others keep
 * `defaultName`, or get a similar name that no root stream has. Throws `invalid-parameters-format` for a
 * permission on another stream without `defaultName`, and for a name for a stream of tags.
 */
export function checkPermissions(call: Call, requested: readonly RequestedPermission[]): CheckedPermissions {
  assertNoTagNames(call.services.config, requested, 'requestedPermissions')
  const names = new RootStreamNames(call.store.streams)
  const checked = requested.map((permission, index) =>
    'streamId' in permission ? checkStreamPermission(call, names, permission, index) : permission
  )
  if (!names.firstConflict) return { checkedPermissions: checked }
  const message = `A stream named "${names.firstConflict}" already exists. Another name is proposed`
  return { checkedPermissions: checked, error: { id: 'item-already-exists', message } }
}

/**
 * Returns one of the permissions that are asked for, with the name of its stream: the present one, or `defaultName`
 * if the stream is still to be created, numbered if it is taken. Error: `invalid-parameters-format` if that stream
 * lacks a `defaultName`.
 */
function checkStreamPermission(
  { services, store }: Call,
  names: RootStreamNames,
  { streamId, level, defaultName }: RequestedStreamPermission,
  index: number
): RequestedStreamPermission {
  if (streamId === '*' || getAuditedAccess(streamId) !== undefined) return { streamId, level }
  const node = store.streams.find(toCurrentId(services.config, streamId))
  if (store.streams.isTagId(streamId)) return { streamId, level, ...(node && { name: node.stream.name }) }
  if (typeof defaultName !== 'string')
    refuseParams([
      {
        code: 'OBJECT_MISSING_REQUIRED_PROPERTY',
        message: 'Missing property "defaultName"',
        path: `#/requestedPermissions/${index}`,
        params: ['defaultName']
      }
    ])
  return node
    ? { streamId, level, name: node.stream.name }
    : { streamId, level, defaultName: names.reserve(streamId, defaultName) }
}

/** Names of root streams: of existing streams, and names proposed so far. */
class RootStreamNames {
  readonly #idByName: Map<string, string>
  /** Names proposed so far, by stream id and requested name. */
  readonly #proposed = new Map<string, string>()
  /** The last number tried for each requested name, so that many equal names take linear time. */
  readonly #counts = new Map<string, number>()
  /** The first requested name that was already in use. */
  firstConflict: string | undefined

  constructor(streams: StreamRepository) {
    const own = streams.roots().filter(({ system }) => !system)
    this.#idByName = new Map(own.map(({ stream }) => [stream.name, stream.id]))
  }

  /**
   * Reserves and returns `wanted`, or the first of `wanted (1)`, `wanted (2)`, … that is free for a stream of this id.
   */
  reserve(streamId: string, wanted: string): string {
    const key = JSON.stringify([streamId, wanted])
    const known = this.#proposed.get(key)
    if (known !== undefined) return known
    let count = this.#counts.get(wanted) ?? 0
    let name = count === 0 ? wanted : appendNumber(wanted, count)
    while ((this.#idByName.get(name) ?? streamId) !== streamId) {
      this.firstConflict ??= wanted
      name = appendNumber(wanted, ++count)
    }
    this.#counts.set(wanted, count)
    this.#idByName.set(name, streamId)
    this.#proposed.set(key, name)
    return name
  }
}

/** Appends a number to a name, within the maximum length of names. */
function appendNumber(name: string, count: number): string {
  const suffix = ` (${count})`
  const room = maxNameLength - suffix.length
  return (name.length > room ? Array.from(name).slice(0, room).join('') : name) + suffix
}
