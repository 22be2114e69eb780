/** Method names that have no definition of their own. */

/** Methods that have been removed from the API. (docs/spec/compatibility.md#removed-methods) */
export const removedMethods: ReadonlySet<string> = new Set(['events.start', 'events.stop', 'whoAmI'])

/** Method ids by alias: for methods that serve several kinds of events, and for renamed methods. */
export const methodAliases: ReadonlyMap<string, string> = new Map([
  ['hfs.create', 'events.create'],
  ['hfs.update', 'events.update'],
  ['hfs.delete', 'events.delete'],
  ['series.get', 'hfs.get'],
  ['series.add', 'hfs.add'],
  ['series.addBatch', 'hfs.addBatch'],
  ['series.deletePoints', 'hfs.deletePoints'],
  ['audit.getLogs', 'audit.get']
])
