/** Turns the platform file of a single service into the beginning of the log that the nodes of a cluster follow. */
import { randomBytes, randomInt } from 'node:crypto'
import type { PlatformStore } from '../../storage/platform/platform-store.js'
import type { Engine } from '../engine.js'
import { PlatformRefused } from './log.js'
import { decodePlatform, encodePlatform, platformSubject } from './record.js'
import { PlatformSnapshots, type SnapshotOptions } from './snapshots.js'

/** Upper bound of history numbers, which both SQLite and JSON can represent. */
const maxHistory = 2 ** 47

/**
 * Begins the log of the platform with the file of a service that is not running: the file becomes its first
 * snapshot. `prepare` runs before any node can join; the file belongs to the cluster from then on. An
 * interrupted call can be repeated with the same file. Rejects with {@link PlatformRefused} if there is a log
 * of another file, and with `EngineUnavailable`. Does nothing if the log already has this file.
 */
export async function beginPlatform(
  platform: PlatformStore,
  options: SnapshotOptions & { readonly engine: Engine },
  prepare: () => Promise<void> = () => Promise.resolve()
): Promise<void> {
  const { engine } = options
  const last = await engine.last(platformSubject)
  const position = platform.position()
  if (last) {
    if (decodePlatform(last.bytes).history === position?.epoch) return
    throw new PlatformRefused('the cluster already has a platform')
  }
  if (position && position.lsn > 0)
    throw new PlatformRefused('its platform database belongs to another cluster')
  const history = position?.epoch ?? randomInt(1, maxHistory)
  if (!position) platform.follow({ lsn: 0, epoch: history })
  await prepare()
  // The snapshot first: a node that finds the log has to find its beginning.
  await new PlatformSnapshots(options).create(platform)
  const id = randomBytes(12).toString('base64url')
  await engine.append(platformSubject, 0, encodePlatform({ id, history, previous: 0, commands: [] }))
}
