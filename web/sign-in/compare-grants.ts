/** Permissions as users read them: each with the name of its stream, compared with what was allowed before. */
import { callAs, type Session } from '../api.js'
import type { FeaturePermission, Level, Permission, StreamPermission } from './auth-request.js'
import { t } from '../language.js'
import { toPlainText } from '../plain-text.js'

/** One requested permission. */
export interface Grant {
  readonly streamId: string
  /** Display name of the stream. */
  readonly name: string
  readonly level: Level
  /** Whether the stream will be created when the user agrees. */
  readonly isNew: boolean
  /** The name that the app proposed, if another stream already has it. */
  readonly taken?: string
  /** The previous level, if an older access exists; `null` if that had no permission here. */
  readonly before?: Level | null
}

/** All requested permissions, and those of an older access that end. */
export interface Grants {
  readonly asked: readonly Grant[]
  readonly ended: readonly Grant[]
  /** Restrictions, such as that the app may not revoke its own access. */
  readonly features: readonly FeaturePermission[]
}

/** Names of streams by id. */
export type StreamNames = ReadonlyMap<string, string>

function isStreamPermission(permission: Permission): permission is StreamPermission {
  return 'streamId' in permission
}

interface Permissions {
  /** As requested by the app. */
  readonly asked: readonly Permission[]
  /** As the service would grant them: with the names of existing streams, or with unused names. */
  readonly checked: readonly Permission[]
  /** As currently in force. */
  readonly older: readonly Permission[] | undefined
}

/** Returns what an app asks for by stream, compared with what it has, and what would end. */
export function compareGrants({ asked, checked, older }: Permissions, names: StreamNames): Grants {
  const proposed = new Map(asked.filter(isStreamPermission).map(each => [each.streamId, each.defaultName]))
  const before = older && new Map(older.filter(isStreamPermission).map(each => [each.streamId, each.level]))
  const streams = checked.filter(isStreamPermission)
  const keptIds = new Set(streams.map(({ streamId }) => streamId))
  return {
    asked: streams.map(permission => {
      const { streamId, level, defaultName } = permission
      const isNew = streamId !== '*' && defaultName !== undefined && !names.has(streamId)
      const proposedName = proposed.get(streamId)
      return {
        streamId,
        level,
        name: getStreamName(permission, names),
        isNew,
        ...(isNew && proposedName !== undefined && proposedName !== defaultName
          ? { taken: toPlainText(proposedName) }
          : {}),
        ...(before ? { before: before.get(streamId) ?? null } : {})
      }
    }),
    ended: (older ?? [])
      .filter(isStreamPermission)
      .filter(({ streamId }) => !keptIds.has(streamId))
      .map(permission => ({ ...permission, name: getStreamName(permission, names), isNew: false })),
    features: checked.filter(each => 'feature' in each)
  }
}

/** Returns the display name of a stream. An existing one keeps its name, whatever the app proposes. */
function getStreamName({ streamId, name, defaultName }: StreamPermission, names: StreamNames): string {
  if (streamId === '*') return t('grant.everything')
  return toPlainText(names.get(streamId) ?? name ?? defaultName ?? streamId)
}

interface Stream {
  readonly id: string
  readonly name: string
  readonly children?: readonly Stream[]
}

/** Reads the names of all streams of an account, also trashed ones, by id. Rejects with a `Refusal`. */
export async function readStreamNames(session: Session): Promise<StreamNames> {
  const { streams } = await callAs<{ streams: readonly Stream[] }>(session, 'GET', 'streams?state=all')
  const names = new Map<string, string>()
  const remaining = [...streams]
  for (let stream = remaining.pop(); stream; stream = remaining.pop()) {
    names.set(stream.id, stream.name)
    remaining.push(...(stream.children ?? []))
  }
  return names
}
