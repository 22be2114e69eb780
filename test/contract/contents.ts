/** The contents of the account of a world, and its accesses: made in one batch, which is one commit. */
import { createId } from '../../core/ids.js'
import type { Level, Permission } from '../../schemas/permission.js'
import { Client, type Answer } from '../support/coffer.js'
import type { CallerName } from './world.js'

const app = (level: string) => ({ type: 'app', name: `an-app-that-${level}s`, deviceName: 'phone' })

/** Ids of streams, and of the ones above them. */
const streams = [['diary'], ['walks', 'diary'], ['body'], ['attic']] as const
const contents = {
  note: { time: 1000, content: 'hello' },
  walk: { time: 2000, streamIds: ['walks'], duration: 600, content: 'by the lake' },
  mass: { time: 3000, streamIds: ['body'], type: 'mass/kg', content: 70 },
  binned: { time: 4000, content: 'in the bin' },
  gone: { time: 5000, content: 'gone' }
}
const onDiary = (level: Level) => ({ permissions: [{ streamId: 'diary', level }] })
const grants: readonly [CallerName, object][] = [
  ['app', { ...onDiary('contribute'), ...app('contribute') }],
  ['manager', { ...onDiary('manage'), ...app('manage') }],
  ['reader', { ...onDiary('read'), name: 'reader' }],
  ['contributor', { ...onDiary('contribute'), name: 'contributor' }],
  ['sensor', { ...onDiary('create-only'), name: 'sensor' }]
]
/** Permissions of the restricted access. */
const restricted: Permission[] = [
  { streamId: 'diary', level: 'read' },
  { streamId: 'walks', level: 'none' },
  { feature: 'selfRevoke', setting: 'forbidden' }
]

/** Fills a new account. Returns the ids of its events, and its clients. */
export async function fillAccount(owner: Client): Promise<{
  readonly clients: ReadonlyMap<CallerName, Client>
  readonly events: Readonly<Record<keyof typeof contents, string>>
}> {
  const ids = { note: createId(), walk: createId(), mass: createId(), binned: createId(), gone: createId() }
  const calls = [
    ...streams.map(([id, parentId]) => ({
      method: 'streams.create',
      params: { id, name: id, parentId: parentId ?? null }
    })),
    { method: 'streams.delete', params: { id: 'attic' } },
    ...Object.entries(contents).map(([name, fields]) => ({
      method: 'events.create',
      params: { id: ids[name as keyof typeof ids], streamIds: ['diary'], type: 'note/txt', ...fields }
    })),
    ...[ids.binned, ids.gone, ids.gone].map(id => ({ method: 'events.delete', params: { id } })),
    ...Array.from(grants, ([, params]) => ({ method: 'accesses.create', params }))
  ]
  const { results } = await owner.do('callBatch', calls)
  const failed = results.find(({ error }: Answer) => error)
  if (failed) throw new Error(JSON.stringify(failed.error))
  const accesses = results.slice(-grants.length)
  const clients = new Map<CallerName, Client>([
    ['owner', owner],
    ...grants.map(([name], at): [CallerName, Client] => [
      name,
      new Client(owner.service, owner.username, accesses[at].access)
    ]),
    ['restricted', await owner.grantAll(restricted, { name: 'restricted' })]
  ])
  return { clients, events: ids }
}
