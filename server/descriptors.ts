/** Keeps what the service opens within what the system lets it open. */
import { readFileSync } from 'node:fs'
import type { Log } from '../core/log.js'
import type { Settings } from '../core/settings/settings.js'

/** Of an open user: the file, its log, its index, the log once more for syncing, and the file once more that began the log. */
const perUser = 5
/** For the program's own files, the platform file and what is opened for a moment. */
const spare = 64

/** The settings, with fewer open users and connections where the limit on descriptors leaves no room for them. */
export function fitDescriptors(settings: Settings, log: Log, limit = descriptorLimit()): Settings {
  const room = Math.max(limit - spare, 2 * perUser)
  const users = Math.min(settings.storage.maxOpenUsers, Math.floor(room / 2 / perUser))
  const connections = Math.min(settings.limits.connections, room - users * perUser)
  if (users < settings.storage.maxOpenUsers)
    log.warn(`storage.maxOpenUsers lowered to ${users}: the process may open ${limit} files only`)
  if (connections < settings.limits.connections)
    log.warn(`limits.connections lowered to ${connections}: the process may open ${limit} files only`)
  return {
    ...settings,
    storage: { ...settings.storage, maxOpenUsers: users },
    limits: { ...settings.limits, connections }
  }
}

/** The number of files that the process may open; infinite where the system does not say. */
function descriptorLimit(): number {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return soft === undefined ? Infinity : Number(soft)
  } catch {
    return Infinity
  }
}
