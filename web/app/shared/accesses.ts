/** Accesses grouped for display: links, apps, ended ones; and the streams that each may see. */
import { readAppNames } from '../../sign-in/auth-request.js'
import { isKey, t, type Key } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { getEnd, hasEnded, keepIds } from '../data/access-facts.js'
import type { Account } from '../data/account.js'
import { getStreamColour } from '../data/stream-colours.js'
import type { Access, Level, Permission } from '../data/model.js'
import type { Tree } from '../data/tree.js'

/** All accesses except sessions. */
export interface AccessGroups {
  readonly shared: readonly Access[]
  readonly apps: readonly Access[]
  /** Deleted and expired accesses, the latest first. */
  readonly ended: readonly Access[]
  /** The operator's names for apps, by id. */
  readonly appNames: ReadonlyMap<string, string>
}

/**
 * Reads the accesses of an account, grouped: shared, apps, and those that have ended. Sessions and offers are
 * skipped. Rejects with a `Refusal`.
 */
export async function readAccessGroups({ client }: Account): Promise<AccessGroups> {
  const [{ accesses, accessDeletions }, appNames] = await Promise.all([
    client.call<{ accesses: readonly Access[]; accessDeletions: readonly Access[] }>('accesses.get', {
      includeExpired: true,
      includeDeletions: true
    }),
    readAppNames()
  ])
  const own = keepIds(accesses).filter(access => access.type !== 'personal' && !isOffer(access))
  const live = own.filter(access => !hasEnded(access))
  const deleted = keepIds(accessDeletions).filter(access => access.type !== 'personal' && !isOffer(access))
  const ended = [...own.filter(hasEnded), ...deleted]
  return {
    shared: live.filter(({ type }) => type === 'shared'),
    apps: live.filter(({ type }) => type === 'app'),
    ended: ended.toSorted((a, b) => getEnd(b) - getEnd(a)),
    appNames
  }
}

/** What the service notes of an access for another account. */
interface PeerMark {
  readonly kind?: unknown
  readonly counterparty?: { readonly username: string }
}

/**
 * Returns the username of the other account for which the service has made an access. Undefined for other
 * accesses.
 */
export function getPeerName({ clientData }: Access): string | undefined {
  return (clientData?.['cmc'] as PeerMark | undefined)?.counterparty?.username
}

/** Returns whether an access only reads a request of the user: the page of people shows these. */
function isOffer({ clientData }: Access): boolean {
  return (clientData?.['cmc'] as PeerMark | undefined)?.kind === 'capability'
}

/** Returns the display name of an access. */
export function getDisplayName(access: Access, appNames: AccessGroups['appNames']): string {
  const { type, name, deviceName, oauth } = access
  // Accesses without a name of the user's own.
  const peerName = /^cmc[:-]/.test(name) ? getPeerName(access) : undefined
  const own =
    (type === 'app' ? appNames.get(name) : undefined) ?? toPlainText(peerName ?? oauth?.clientName ?? name)
  return deviceName === undefined || deviceName === null || deviceName === ''
    ? own
    : `${own} (${toPlainText(deviceName)})`
}

/** A permission on one stream, or on all. */
export interface Grant {
  readonly streamId: string
  readonly name: string
  readonly level: Level
  /** CSS colour; undefined for system streams. */
  readonly colour?: string
}

/** Returns the streams of an access's permissions, without those on its own audit log. */
export function listGrants(permissions: readonly Permission[] | undefined, tree: Tree | undefined): Grant[] {
  return (permissions ?? []).flatMap(permission => {
    if (!('streamId' in permission) || permission.streamId.startsWith(':_audit:')) return []
    const stream = tree?.find(permission.streamId)
    return [
      {
        ...permission,
        name: getStreamName(permission.streamId, tree),
        ...(stream ? { colour: getStreamColour(stream) } : {})
      }
    ]
  })
}

/** Returns the display name of a stream, of all streams (`*`), of account fields, or of the audit log. */
export function getStreamName(id: string, tree: Tree | undefined): string {
  if (id === '*') return t('shell.allData')
  if (id.startsWith(':_audit:')) return t('shared.activity')
  const key = `shared.stream.${id.replace(/^:_?system:/, '')}`
  if (id.startsWith(':') && isKey(key)) return t(key)
  const stream = tree?.find(id)
  return toPlainText(stream?.name ?? id)
}

/**
 * Returns the text key that describes what levels allow together. Mixed levels count as `manage` if one is
 * that, otherwise as `contribute`.
 */
export function getLevelKey(levels: readonly Level[]): Key {
  const own = new Set(levels.filter(level => level !== 'none'))
  if (own.size === 0) return 'shell.level.none'
  if (own.size === 1) return `shell.level.${[...own][0]!}`
  return own.has('manage') ? 'shell.level.manage' : 'shell.level.contribute'
}
