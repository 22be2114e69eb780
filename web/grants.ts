/** What an app may do, as people read it: each permission by the name of what it is about, beside what was allowed before. */
import { callAs, type Session } from './api.js'
import type { FeaturePermission, Level, Permission, StreamPermission } from './auth-request.js'
import { t } from './language.js'
import { plain } from './plain.js'

/** One line of what is asked for. */
export interface Grant {
  readonly streamId: string
  /** What people know it by. */
  readonly name: string
  readonly level: Level
  /** It does not exist yet: agreeing creates it. */
  readonly isNew: boolean
  /** The name that the app proposed, where another stream has it. */
  readonly taken?: string
  /** The level allowed before, if there is an older permission; `null` where there was none. */
  readonly before?: Level | null
}

/** Everything that is asked for, and what an older permission held beyond that. */
export interface Grants {
  readonly asked: readonly Grant[]
  readonly ended: readonly Grant[]
  /** The app may not give its access up by itself, and the like. */
  readonly features: readonly FeaturePermission[]
}

/** Names of streams by their ids. */
export type Names = ReadonlyMap<string, string>

export function isOnStream(permission: Permission): permission is StreamPermission {
  return 'streamId' in permission
}

interface Permissions {
  /** As the app asks for them. */
  readonly asked: readonly Permission[]
  /** As the service proposes to grant them: with the names of streams, or with names that are free. */
  readonly checked: readonly Permission[]
  /** What is in force now. */
  readonly older: readonly Permission[] | undefined
}

export function grantsOf({ asked, checked, older }: Permissions, names: Names): Grants {
  const proposed = new Map(asked.filter(isOnStream).map(each => [each.streamId, each.defaultName]))
  const before = older && new Map(older.filter(isOnStream).map(each => [each.streamId, each.level]))
  const streams = checked.filter(isOnStream)
  const kept = new Set(streams.map(({ streamId }) => streamId))
  return {
    asked: streams.map(permission => {
      const { streamId, level, defaultName } = permission
      const isNew = streamId !== '*' && defaultName !== undefined && !names.has(streamId)
      const wanted = proposed.get(streamId)
      return {
        streamId,
        level,
        name: nameOf(permission, names),
        isNew,
        ...(isNew && wanted !== undefined && wanted !== defaultName ? { taken: plain(wanted) } : {}),
        ...(before ? { before: before.get(streamId) ?? null } : {})
      }
    }),
    ended: (older ?? [])
      .filter(isOnStream)
      .filter(({ streamId }) => !kept.has(streamId))
      .map(permission => ({ ...permission, name: nameOf(permission, names), isNew: false })),
    features: checked.filter(each => 'feature' in each)
  }
}

function nameOf({ streamId, name, defaultName }: StreamPermission, names: Names): string {
  if (streamId === '*') return t('grant.everything')
  return plain(name ?? names.get(streamId) ?? defaultName ?? streamId)
}

interface Stream {
  readonly id: string
  readonly name: string
  readonly children?: readonly Stream[]
}

/** The names of all streams of an account. */
export async function readNames(session: Session): Promise<Names> {
  const { streams } = await callAs<{ streams: readonly Stream[] }>(session, 'GET', 'streams?state=all')
  const names = new Map<string, string>()
  const open = [...streams]
  for (let stream = open.pop(); stream; stream = open.pop()) {
    names.set(stream.id, stream.name)
    open.push(...(stream.children ?? []))
  }
  return names
}
