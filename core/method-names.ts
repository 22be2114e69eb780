/** Names of methods beside those that are defined. */

/** Methods that were part of the API once. (service.md, Events) */
export const removed: ReadonlySet<string> = new Set([
  'events.start',
  'events.stop',
  'accesses.update',
  'whoAmI'
])

/** Names of the specification for methods that have another one here, or that serve several kinds of events. */
export const aliases: ReadonlyMap<string, string> = new Map([
  ['hfs.create', 'events.create'],
  ['hfs.get', 'series.get'],
  ['hfs.add', 'series.add'],
  ['hfs.addBatch', 'series.addBatch'],
  ['hfs.update', 'events.update'],
  ['hfs.delete', 'events.delete'],
  ['audit.getLogs', 'audit.get']
])
