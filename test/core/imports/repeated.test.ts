/**
 * Importing the same file again uses the stored outcome, as long as nothing of it has changed.
 * (docs/decisions/0019-imports.md)
 */
import t from 'tap'
import { ImportFingerprint, isUnchanged } from '../../../core/imports/fingerprint.js'
import type { UserStore } from '../../../storage/user/user-store.js'
import { coffer, type Answer, type Client, type Service } from '../../support/coffer.js'
import { broughtIn, sent, takenOut, written } from '../../support/importing.js'
import { inRotation } from '../../support/rotation.js'

t.setTimeout(900_000)

const name = 'a.csv'
const day = 86_400
/** Three weights, and a heart rate per second. */
const text = [
  'time,weight (kg),heart rate',
  ...[0, 1, 2].map(at => `${1.6e9 + at * day},${70 + at},`),
  ...Array.from({ length: 1000 }, (_, at) => `${1.7e9 + at},,${60 + (at % 40)}`)
].join('\n')
const all = { 'mass/kg': 3, 'frequency/bpm': 1000 }
/** Replaces a count in stored outcomes, to show whether a result comes from them. */
const mark = 7777

/** Marks the stored outcomes of files; returns their number. */
async function marked({ server: { services } }: Service, username = 'alice'): Promise<number> {
  const store = services.accounts.openStore(services.accounts.find(username)!)
  const kept = store.imports.listMemory('outcome:')
  await store.write(() => {
    for (const { name: of, value } of kept) {
      const outcome = JSON.parse(value) as { known: Record<string, number> }
      outcome.known['mass/kg'] = mark
      store.imports.setMemory(of, JSON.stringify(outcome))
    }
  })
  return kept.length
}

async function found(client: Client, type: string): Promise<Answer> {
  const { events } = await client.do('events.get', { types: [type], fromTime: 0, toTime: 4e9 })
  return events[0]
}

t.test('a completely imported file is not read again', async t => {
  const service = await coffer(t)
  const { alice } = service
  await alice.stream('diary')
  await broughtIn(alice, name, text)
  t.equal(await marked(service), 1)
  const look = await sent(alice, name, text)
  t.match(look, { state: 'looked', tally: { broughtIn: {}, known: { 'mass/kg': mark }, leftOut: {} } })
  t.match(look.look, { format: 'csv', records: { row: 1003 } })
  const again = await written(alice, look.id)
  t.match(again, { state: 'written', tally: { known: { 'mass/kg': mark, 'frequency/bpm': 1000 } } })
  await alice.event({ type: 'mass/kg', content: 71, time: 1.6e9 })
  const holder = await found(alice, 'series:frequency/bpm')
  await alice.do('hfs.add', {
    id: holder.id,
    format: 'flatJSON',
    fields: ['deltaTime', 'value'],
    points: [[1.7e9 - holder.time + 5000, 60]]
  })
  await broughtIn(alice, 'other.csv', 'time,weight (kg)\n1500000000,66')
  const beside = await broughtIn(alice, name, text)
  t.equal(beside.tally.known['mass/kg'], mark, 'nor when something else has come')
})

t.test("another app learns nothing of an app's imports", async t => {
  const service = await coffer(t)
  const { alice } = service
  const [first, other] = [
    await alice.grant('manage', '*', { type: 'app', name: 'first' }),
    await alice.grant('manage', '*', { type: 'app', name: 'other' })
  ]
  await broughtIn(first, name, text)
  t.equal(await marked(service), 1)
  t.same((await broughtIn(other, name, text)).tally, { broughtIn: all, known: {}, leftOut: {} })
  t.match((await broughtIn(first, name, text)).tally, { broughtIn: {}, known: all })
})

/** Changes after which the file must be read again, with the expected counts. */
const changes: readonly [
  what: string,
  change: (client: Client, first: Answer) => Promise<unknown>,
  tally: object
][] = [
  [
    'an event was deleted',
    async client => {
      const { id } = await found(client, 'mass/kg')
      await client.do('events.delete', { id })
      await client.do('events.delete', { id })
    },
    {
      broughtIn: {},
      known: { ...all, 'mass/kg': 2 },
      leftOut: { 'of the kind that was deleted here before': 1 }
    }
  ],
  [
    'points were removed',
    async client => {
      const { id, time } = await found(client, 'series:frequency/bpm')
      await client.do('hfs.deletePoints', { id, fromDeltaTime: 1.7e9 - time, toDeltaTime: 1.7e9 - time + 10 })
    },
    { broughtIn: { 'frequency/bpm': 10 }, known: { ...all, 'frequency/bpm': 990 }, leftOut: {} }
  ],
  [
    'a point was written over',
    async client => {
      const { id, time } = await found(client, 'series:frequency/bpm')
      const points = [[1.7e9 - time + 7, 99]]
      await client.do('hfs.add', { id, format: 'flatJSON', fields: ['deltaTime', 'value'], points })
    },
    { broughtIn: { 'frequency/bpm': 1 }, known: { ...all, 'frequency/bpm': 999 }, leftOut: {} }
  ],
  [
    'a series is in the trash',
    async client => {
      await client.do('events.delete', { id: (await found(client, 'series:frequency/bpm')).id })
    },
    {
      broughtIn: {},
      known: { 'mass/kg': 3 },
      leftOut: { 'in a stream or series that is in the trash': 1000 }
    }
  ],
  [
    'a series begins at another time',
    async client => {
      const { id, time } = await found(client, 'series:frequency/bpm')
      await client.do('events.update', { id, update: { time: time - 5000 } })
    },
    { broughtIn: { 'frequency/bpm': 1000 }, known: { 'mass/kg': 3 }, leftOut: {} }
  ],
  [
    'it was taken out',
    (client, first) => takenOut(client, first.id),
    { broughtIn: all, known: {}, leftOut: {} }
  ]
]
const shared = await coffer(t)
const test = inRotation(t, 2)
for (const [at, [what, change, tally]] of changes.entries())
  test(`the file is read again when ${what}`, async t => {
    const alice = await shared.user(`alice${at}`)
    const first = await broughtIn(alice, name, text)
    t.equal(await marked(shared, alice.username), 1)
    await change(alice, first)
    t.same((await broughtIn(alice, name, text)).tally, tally)
  })

test('the file is read again after a later import of its records was undone', async t => {
  const { alice } = await coffer(t)
  const weights = text.split('\n').slice(0, 4).join('\n')
  const three = { 'mass/kg': 3 }
  await takenOut(alice, (await broughtIn(alice, name, weights)).id)
  const [earlier, later] = [await sent(alice, name, weights), await sent(alice, name, weights)]
  t.same((await written(alice, later.id)).tally, { broughtIn: three, known: {}, leftOut: {} })
  t.same((await written(alice, earlier.id)).tally, { broughtIn: {}, known: three, leftOut: {} })
  await takenOut(alice, earlier.id)
  await takenOut(alice, later.id)
  t.same((await broughtIn(alice, name, weights)).tally, { broughtIn: three, known: {}, leftOut: {} })
})

test('no outcome is stored if data changes meanwhile', async t => {
  const service = await coffer(t)
  const { alice } = service
  await alice.stream('diary')
  const { accounts } = service.server.services
  const open = (): UserStore => accounts.openStore(accounts.find('alice')!)
  const view = { open, mayRead: () => true, party: { account: 'alice', access: '' } }
  const footprint = (): ImportFingerprint => new ImportFingerprint(view)
  const { id } = await alice.event({ type: 'series:count/generic', content: undefined, time: 1.7e9 })
  const add = (at: number): Promise<Answer> =>
    alice.do('hfs.add', { id, format: 'flatJSON', fields: ['deltaTime', 'value'], points: [[at, 5]] })
  await add(1)

  const undisturbed = footprint()
  undisturbed.addRange(id, 0, 9)
  const kept = await undisturbed.toStored()
  t.ok(kept)
  t.ok(await isUnchanged(view, kept!))
  await add(10)
  t.ok(await isUnchanged(view, kept!), 'points elsewhere do not matter')
  await add(9)
  t.notOk(await isUnchanged(view, kept!))

  const disturbed = footprint()
  await add(2)
  t.equal(await disturbed.toStored(), undefined, 'points were added')
  const deletedFrom = footprint()
  const note = await alice.event({})
  await alice.do('events.delete', { id: note.id })
  t.ok(await deletedFrom.toStored())
  await alice.do('events.delete', { id: note.id })
  t.equal(await deletedFrom.toStored(), undefined, 'an event was deleted')
  const wide = footprint()
  for (let at = 0; at <= 2000; at++) wide.addRange(`c${at}`, 0, 1)
  t.equal(await wide.toStored(), undefined, 'there are too many series')
})
