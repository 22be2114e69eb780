/** Keeps the number of open files below the limit of the process. */
import { readFileSync } from 'node:fs'
import type { Log } from '../core/log.js'
import type { Settings } from '../core/settings/settings.js'

/**
 * File descriptors per open user: the database, its WAL and WAL index, the WAL again for syncing, and a second handle
 * of the database, which keeps the WAL.
 */
const descriptorsPerUser = 5
/** File descriptors per connection: its socket, and a file that is received, sent or spooled. */
const descriptorsPerConnection = 2
/** Reserved for the program's own files, the platform database and files opened briefly. */
const reservedDescriptors = 64

/**
 * Returns the settings, with fewer open users and connections if the descriptor limit is too low for them.
 * Logs a warning for each that is lowered.
 */
export function applyDescriptorLimit(settings: Settings, log: Log, limit = readDescriptorLimit()): Settings {
  const available = Math.max(limit - reservedDescriptors, 2 * descriptorsPerUser)
  const users = Math.min(settings.storage.maxOpenUsers, Math.floor(available / 2 / descriptorsPerUser))
  const forConnections = Math.floor((available - users * descriptorsPerUser) / descriptorsPerConnection)
  const connections = Math.min(settings.limits.connections, forConnections)
  if (users < settings.storage.maxOpenUsers)
    log.warn(`storage.maxOpenUsers lowered to ${users}, because the process can open only ${limit} files`)
  if (connections < settings.limits.connections)
    log.warn(`limits.connections lowered to ${connections}, because the process can open only ${limit} files`)
  return {
    ...settings,
    storage: { ...settings.storage, maxOpenUsers: users },
    limits: { ...settings.limits, connections }
  }
}

/** Returns the number of files that the process may open; infinite if the system does not say. */
function readDescriptorLimit(): number {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return soft === undefined ? Infinity : Number(soft)
  } catch {
    return Infinity
  }
}
