/** Ids of system streams in the form of older clients: `.email` for `:system:email`. (supplement 7.2) */
import type { Config } from './config.js'
import { accountStreams } from './system-streams.js'
import { isSystemId } from './system-ids.js'

const prefix = /^:(?:_system|system):/

interface Names {
  readonly current: ReadonlyMap<string, string>
  readonly older: ReadonlyMap<string, string>
}

const known = new WeakMap<Config, Names>()

function namesOf(config: Config): Names {
  let names = known.get(config)
  if (!names) {
    const pairs = accountStreams(config).list.map(
      ({ stream: { id } }) => [id, id.replace(prefix, '.')] as const
    )
    names = { older: new Map(pairs), current: new Map(pairs.map(([id, older]) => [older, id])) }
    known.set(config, names)
  }
  return names
}

/** The id of today; others stay as they are. */
export function currentId(config: Config, id: string): string {
  return id.startsWith('.') ? (namesOf(config).current.get(id) ?? id) : id
}

/** The id as older clients know it; others stay as they are. */
export function olderId(config: Config, id: string): string {
  return isSystemId(id) ? (namesOf(config).older.get(id) ?? id) : id
}
