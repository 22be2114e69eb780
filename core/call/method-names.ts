/** Names of methods beside those that are defined. */

/** Methods that were part of the API once. (docs/spec/compatibility.md#removed-methods) */
export const removed: ReadonlySet<string> = new Set([
  'events.start',
  'events.stop',
  'accesses.update',
  'whoAmI'
])

/** Further names: of methods that serve several kinds of events, and of those that were called otherwise once. */
export const aliases: ReadonlyMap<string, string> = new Map([
  ['hfs.create', 'events.create'],
  ['hfs.update', 'events.update'],
  ['hfs.delete', 'events.delete'],
  ['series.get', 'hfs.get'],
  ['series.add', 'hfs.add'],
  ['series.addBatch', 'hfs.addBatch'],
  ['audit.getLogs', 'audit.get']
])
