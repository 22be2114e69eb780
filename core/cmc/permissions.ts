/** Which of the offered permissions may be granted. (docs/spec/consent.md#permissions) */
import type { StreamRepository } from '../../storage/repositories/streams.js'
import type { Level, Permission } from '../../schemas/permission.js'
import { cmcInbox, cmcRoot, isCmcId } from '../cmc-ids.js'
import { Grants } from '../permissions/grants.js'
import { allows, type Action } from '../permissions/levels.js'
import { isPermissionForm, type Content } from './contents.js'
import { TriggerFailed } from './failures.js'

type Offered = Readonly<Record<string, unknown>>

/** Returns the permission to store, without what only an offer says. */
function toStored({ feature, level, setting, streamId }: Offered): Permission {
  return (feature === undefined ? { streamId, level } : { feature, setting }) as Permission
}

function toKey(permission: Offered): string {
  return JSON.stringify(toStored(permission))
}

/** Returns the permissions to store of a list that has the form of one. */
export function toStoredPermissions(given: readonly unknown[]): Permission[] {
  return given.map(each => toStored(each as Offered))
}

/**
 * Returns the permissions that an acceptance grants. `granted`: the chosen ones; all, if none are chosen. Throws `TriggerFailed`.
 */
export function selectGranted(
  streams: StreamRepository,
  { allowUserChoice, permissions }: Content,
  granted: unknown
): Permission[] {
  const offered = permissions as readonly Offered[]
  if (granted === undefined) return offered.map(toStored)
  if (!Array.isArray(granted) || granted.length === 0 || !granted.every(isPermissionForm))
    return refuseSelection()
  const keys = new Set(offered.map(toKey))
  const chosen = new Set((granted as Offered[]).map(toKey))
  const lowered = selectLowered(
    (granted as Offered[]).filter(each => !keys.has(toKey(each))),
    offered
  )
  const missing = offered.filter(each => !chosen.has(toKey(each)))
  if (missing.length > 0 && allowUserChoice !== true)
    throw new TriggerFailed('cmc-consent-user-choice-not-allowed')
  if (missing.some(({ mandatory }) => mandatory === true))
    throw new TriggerFailed('cmc-mandatory-permission-refused')
  const kept = offered.flatMap(each => (chosen.has(toKey(each)) ? toStored(each) : (lowered.get(each) ?? [])))
  if (!isNoWider(streams, kept, offered.map(toStored))) refuseSelection()
  return kept
}

/** Returns the permissions with a lower level than the offered ones, by those. Throws `TriggerFailed` if any is none. */
function selectLowered(
  chosen: readonly Offered[],
  offered: readonly Offered[]
): ReadonlyMap<Offered, Permission> {
  const byStream = new Map(
    offered.filter(({ feature }) => feature === undefined).map(each => [each['streamId'], each])
  )
  const lowered = new Map<Offered, Permission>()
  for (const each of chosen) {
    const most = each['feature'] === undefined ? byStream.get(each['streamId']) : undefined
    if (!most || lowered.has(most) || !isLower(each['level'] as Level, most['level'] as Level))
      return refuseSelection()
    lowered.set(most, toStored(each))
  }
  return lowered
}

/** Returns whether a level allows something, and nothing that the other one does not. */
function isLower(level: Level, most: Level): boolean {
  return level !== 'none' && actions.every(action => !allows(level, action) || allows(most, action))
}

/** Returns the permissions with the user's own streams in place of those that the offer names. */
export function replaceStreams(
  permissions: readonly Permission[],
  own: Readonly<Record<string, string>>
): Permission[] {
  const seen = new Set<string>()
  return permissions.flatMap((permission): Permission[] => {
    if (!('streamId' in permission)) return [permission]
    const { level, streamId } = permission
    const chosen = Object.hasOwn(own, streamId) ? own[streamId]! : streamId
    // Two offered streams may stand for one of the user's.
    if (seen.has(chosen)) return []
    seen.add(chosen)
    return [{ streamId: chosen, level }]
  })
}

function refuseSelection(): never {
  throw new TriggerFailed('cmc-granted-permissions-not-subset')
}

const actions: readonly Action[] = ['list', 'read', 'create', 'contribute', 'manage']

/** Returns whether a part of the permissions allows nothing more at any stream: leaving out a lower level may. */
function isNoWider(
  streams: StreamRepository,
  kept: readonly Permission[],
  offered: readonly Permission[]
): boolean {
  const [part, whole] = [kept, offered].map(permissions => new Grants({ permissions: [...permissions] }))
  return offered.every(permission => {
    if (!('streamId' in permission)) return true
    const [level, most] = [part!, whole!].map(grants => grants.level(streams, permission.streamId))
    return actions.every(action => !allows(level, action) || allows(most, action))
  })
}

/** Returns the permissions of an access of a peer: the granted ones, and those for messages. */
export function addMachinery(
  granted: readonly Permission[],
  { chats, collectors }: { readonly chats: string; readonly collectors: string }
): Permission[] {
  return [
    ...granted,
    ...closeRoot(granted),
    { streamId: cmcInbox, level: 'create-only' },
    { streamId: chats, level: 'contribute' },
    { streamId: collectors, level: 'contribute' }
  ]
}

/** Returns the permission that keeps what the user exchanges with others closed to a permission on everything; empty without one. */
function closeRoot(granted: readonly Permission[]): Permission[] {
  const isWide = granted.some(each => 'streamId' in each && each.streamId === '*')
  return isWide ? [{ streamId: cmcRoot, level: 'none' }] : []
}

/** Returns the permissions of an access of a peer after a change: what is granted now, and those for messages, which stay. */
export function replaceGranted(granted: readonly Permission[], former: readonly Permission[]): Permission[] {
  const machinery = selectMachinery(former).filter(each => 'streamId' in each && each.streamId !== cmcRoot)
  return [...granted, ...closeRoot(granted), ...machinery]
}

/** Returns the permissions for messages. */
function selectMachinery(permissions: readonly Permission[]): Permission[] {
  return permissions.filter(each => 'streamId' in each && isCmcId(each.streamId))
}

/** Returns the permissions without those for messages. */
export function withoutMachinery(permissions: readonly Permission[]): Permission[] {
  return permissions.filter(each => !('streamId' in each) || !isCmcId(each.streamId))
}
