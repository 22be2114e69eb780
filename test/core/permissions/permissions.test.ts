import t from 'tap'
import type { Level } from '../../../schemas/permission.js'
import { coffer, type Answer, type Client } from '../../support/coffer.js'

/** Streams: `child` below `middle` below `top`, `sibling` below `top`, `island` by itself, `root` above all. */
const places = ['top', 'middle', 'child', 'sibling', 'island', 'root'] as const
type Place = (typeof places)[number]
const below: Partial<Record<Place, readonly Place[]>> = {
  top: ['middle', 'child', 'sibling'],
  middle: ['child']
}

/**
 * The level of each token in each stream, by hand: Manage, Contribute, Read, create-Only, None; `-` without a
 * permission. `kind`: Personal, App, Shared.
 */
const tokens: Record<string, { kind: 'P' | 'A' | 'S'; held: string; levels?: Record<string, Level> }> = {
  'signed in': { kind: 'P', held: 'MMMMMM' },
  'app managing': { kind: 'A', held: '-MM---', levels: { middle: 'manage' } },
  'app contributing': { kind: 'A', held: '-CC---', levels: { middle: 'contribute' } },
  'app reading all': { kind: 'A', held: 'RRRRRR', levels: { '*': 'read' } },
  'app creating only': { kind: 'A', held: '-OO---', levels: { middle: 'create-only' } },
  'app with features only': { kind: 'A', held: '------', levels: {} },
  'shared managing': { kind: 'S', held: '-MM---', levels: { middle: 'manage' } },
  'shared managing all': { kind: 'S', held: 'MMMMMM', levels: { '*': 'manage' } },
  'shared managing all but one': { kind: 'S', held: 'MNNMMM', levels: { '*': 'manage', middle: 'none' } },
  'shared contributing': { kind: 'S', held: '-CC---', levels: { middle: 'contribute' } },
  'shared reading': { kind: 'S', held: '-RR---', levels: { middle: 'read' } },
  'shared creating only': { kind: 'S', held: '-OO---', levels: { middle: 'create-only' } },
  'shared seeing nothing': { kind: 'S', held: '-NN---', levels: { middle: 'none' } },
  'shared reading, child managed': { kind: 'S', held: '-RM---', levels: { middle: 'read', child: 'manage' } },
  'shared managing, child closed': { kind: 'S', held: 'MMNM--', levels: { top: 'manage', child: 'none' } },
  'shared with features only': { kind: 'S', held: '------', levels: {} }
}

/** The levels that permit a method in a stream. */
const methods: Record<string, { letters: string; run: (all: Setting, at: Place) => Promise<Answer> }> = {
  'streams.get': {
    letters: 'MCRO',
    run: ({ caller }, at) =>
      at === 'root' ? caller.call('streams.get') : caller.call('streams.get', { parentId: at })
  },
  'streams.create': {
    letters: 'M',
    run: ({ caller, fresh }, at) =>
      caller.call('streams.create', { name: fresh(), parentId: at === 'root' ? null : at })
  },
  'streams.update': {
    letters: 'M',
    run: ({ caller }, at) => caller.call('streams.update', { id: at, update: { name: at } })
  },
  'streams.delete': {
    letters: 'M',
    run: async ({ alice, caller }, at) => {
      const answer = await caller.call('streams.delete', { id: at })
      if (!answer.error) await alice.do('streams.update', { id: at, update: { trashed: false } })
      return answer
    }
  },
  'accesses.create': {
    letters: 'MCR',
    run: async ({ caller, fresh }, at) =>
      await caller.call('accesses.create', {
        name: fresh(),
        permissions: [{ streamId: at === 'root' ? '*' : at, level: 'read' }]
      })
  },
  'events.create': {
    letters: 'MCO',
    run: ({ caller }, at) => caller.call('events.create', { streamIds: [at], type: 'note/txt', content: 'x' })
  },
  'events.getOne': {
    letters: 'MCR',
    run: ({ caller, events }, at) => caller.call('events.getOne', { id: events.get(at) })
  },
  'events.update': {
    letters: 'MC',
    run: ({ caller, events }, at) =>
      caller.call('events.update', { id: events.get(at), update: { content: 'y' } })
  },
  'events.delete': {
    letters: 'MC',
    run: async ({ alice, caller, events }, at) => {
      const answer = await caller.call('events.delete', { id: events.get(at) })
      if (!answer.error) await alice.do('events.update', { id: events.get(at), update: { trashed: false } })
      return answer
    }
  }
}

interface Setting {
  readonly alice: Client
  readonly caller: Client
  /** An event in each stream. */
  readonly events: ReadonlyMap<Place, string>
  /** Returns an unused name. */
  readonly fresh: () => string
}

async function plant(alice: Client): Promise<void> {
  for (const [id, parentId] of [
    ['top', null],
    ['middle', 'top'],
    ['child', 'middle'],
    ['sibling', 'top'],
    ['island', null]
  ] as const)
    await alice.stream(id, parentId)
}

/** Returns streams and accesses, without their last use, and the number of events. */
async function everything(alice: Client): Promise<Answer> {
  const { streams } = await alice.do('streams.get', { state: 'all' })
  const { accesses } = await alice.do('accesses.get', { includeExpired: true })
  const { events } = await alice.do('events.get', { state: 'all', limit: 10_000 })
  return { streams, accesses: accesses.map((access: Answer) => ({ ...access, lastUsed: 0 })), events }
}

/** Returns the sorted ids of the events that a caller can list. */
async function listed(caller: Client): Promise<string[]> {
  const answer = await caller.do('events.get', { types: ['note/list'] })
  return answer.events.map((event: { id: string }) => event.id).toSorted()
}

function isAllowed(token: string, name: string, at: Place): boolean {
  const { held, kind } = tokens[token]!
  // Listing and creating accesses also depends on the kind of token.
  if (name === 'accesses.create' && kind !== 'A') return kind === 'P'
  // Any token may list the roots: the list contains only what the token may see.
  if (name === 'streams.get' && at === 'root') return true
  const isHeld = (place: Place): boolean => methods[name]!.letters.includes(held[places.indexOf(place)]!)
  // Substreams move to the trash as well.
  return isHeld(at) && (name !== 'streams.delete' || (below[at] ?? []).every(isHeld))
}

t.test('permissions', async t => {
  const service = await coffer(t)
  const { alice } = service
  await plant(alice)
  let count = 0
  const fresh = (): string => `fresh${count++}`
  const feature = { feature: 'selfRevoke', setting: 'forbidden' } as const

  const events = new Map<Place, string>()
  for (const at of places)
    if (at !== 'root') events.set(at, (await alice.event({ streamIds: [at], type: 'note/list' })).id)
  const callers = new Map<string, Client>()
  for (const [name, { kind, levels = {} }] of Object.entries(tokens)) {
    const permissions = Object.entries(levels).map(([streamId, level]) => ({ streamId, level }))
    const type = kind === 'A' ? 'app' : 'shared'
    callers.set(name, kind === 'P' ? alice : await alice.grantAll([...permissions, feature], { type, name }))
  }

  for (const [token, caller] of callers)
    t.test(`of the token ${token}`, async t => {
      for (const [name, { run }] of Object.entries(methods))
        for (const at of places) {
          // Only streams can be changed, and no event is outside all streams.
          if (at === 'root' && /^events|update|delete/.test(name)) continue
          const before = await everything(alice)
          const answer = await run({ alice, caller, events, fresh }, at)
          const what = `${name} at ${at}`
          if (isAllowed(token, name, at)) t.notOk(answer.error, `${what}: ${JSON.stringify(answer.error)}`)
          else {
            t.match(answer, { status: 403, error: { id: 'forbidden' } }, what)
            t.same(await everything(alice), before, `${what} changes nothing`)
          }
        }
    })

  t.test('determine which events are listed', async t => {
    for (const [token, { held }] of Object.entries(tokens)) {
      const expected = places.filter((at, index) => at !== 'root' && 'MCR'.includes(held[index]!))
      t.same(await listed(callers.get(token)!), expected.map(at => events.get(at)).toSorted(), token)
    }
  })

  t.test('end with the token', async t => {
    const manage = { streamId: '*', level: 'manage' } as const
    const expired = await alice.grantAll([manage], { expireAfter: 0 })
    const deleted = await alice.grantAll([manage])
    await alice.do('accesses.delete', { id: deleted.access.id })
    const before = await everything(alice)
    for (const caller of [expired, deleted])
      for (const definition of service.server.dispatcher.definitions)
        if (definition.mode !== 'service' && definition.allow.needsAccess)
          t.match(
            await caller.call(definition.id, { id: 'middle' }),
            { status: 401, error: { id: 'invalid-access-token' } },
            definition.id
          )
    t.same(await everything(alice), before)
  })
})
