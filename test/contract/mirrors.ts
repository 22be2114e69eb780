/** Scenarios of mirrors. (docs/api/mirrors.md) */
import assert from 'node:assert/strict'
import { createId } from '../../core/ids.js'
import { until } from '../support/socket.js'
import { settled } from '../support/two-servers.js'
import type { Answer, Client } from '../support/coffer.js'
import { closedToOthers, withoutToken, type Contract, type Scenario } from './scenario.js'
import type { World } from './world.js'

interface Made {
  /** The access of the owner that the person holds. */
  readonly accessId: string
  /** The token with which the person reads the owner's data; empty if the owner reads the person's. */
  readonly token: string
  readonly person: Client
  id?: string
  key?: string
}

/** What the owner sees of a person. */
const seen = new WeakMap<World, Made>()
/** What a person sees of the owner. */
const shown = new WeakMap<World, Made>()

/** Makes a relationship: `reader` sees the diary of `shown`. */
async function relate(reader: Client, shown: Client): Promise<{ grantId: string; token: string }> {
  const scope = { streamIds: [':_cmc:apps:clinic'] }
  const request = {
    title: { en: 'Study' },
    description: { en: 'A study' },
    consent: { en: 'I agree' },
    permissions: [{ streamId: 'diary', level: 'read' }]
  }
  const asked = { to: null, capabilityRequested: true, request }
  const offer = await reader.do('events.create', { ...scope, type: 'consent/request-cmc', content: asked })
  const { capabilityUrl } = offer.event.content
  const answer = { ...scope, type: 'consent/accept-cmc', content: { capabilityUrl } }
  const { event } = await shown.do('events.create', answer)
  const { acceptedBy, dataGrantAccessId } = await settled(shown, event.id)
  return { grantId: dataGrantAccessId, token: new URL(acceptedBy.apiEndpoint).username }
}

/** A person shares a diary with the owner. */
async function seePerson(world: World): Promise<void> {
  if (seen.has(world)) return
  const person = await world.service.user(`paul-${createId().slice(-8)}`)
  await person.stream('diary')
  await relate(world.owner, person)
  const { accesses } = await world.owner.do('accesses.get')
  const channel = accesses.find(({ clientData }: Answer) => clientData?.cmc?.role === 'counterparty')
  seen.set(world, { accessId: channel.id, token: '', person })
}

/** The owner keeps a copy of it, which is complete. */
async function follow(world: World): Promise<void> {
  await seePerson(world)
  if (seen.get(world)!.id !== undefined) return
  const found = seen.get(world)!
  const { mirror } = await world.owner.do('mirrors.create', { accessId: found.accessId })
  await until(async () => {
    const current = (await world.owner.do('mirrors.getOne', { id: mirror.id })).mirror
    return current.state === 'live' && current.lastContact !== undefined
  }, 'the copy')
  const [{ url }] = (await found.person.do('webhooks.get')).webhooks
  seen.set(world, { ...found, id: mirror.id, key: new URL(url).pathname.split('/').at(-1)! })
}

/** The owner shares the diary with a person. */
async function beSeen(world: World): Promise<void> {
  if (shown.has(world)) return
  const person = await world.service.user(`dora-${createId().slice(-8)}`)
  const { grantId, token } = await relate(person, world.owner)
  shown.set(world, { accessId: grantId, token, person })
}

/** The person has reported a copy, and the permission has ended. */
async function endSharing(world: World): Promise<void> {
  await beSeen(world)
  if (shown.get(world)!.id === 'ended') return
  const { accessId, token } = shown.get(world)!
  await world.service.call(world.owner.username, 'mirrors.report', live, token)
  await world.owner.do('accesses.delete', { id: accessId })
  shown.get(world)!.id = 'ended'
}

const live = { number: 1, state: 'live', reads: [] }
const erased = { number: 2, state: 'erased', reads: [], receipt: 'a.b.c' }
const read = { day: 20_000, reader: '', streamId: 'diary', calls: 2, events: 14 }
const key = 'k'.repeat(32)
const unknown = { id: 'cunknown' }
const withId = (world: World): object => ({ id: seen.get(world)?.id })
const withAccess = (world: World): object => ({ accessId: seen.get(world)?.accessId })
const withGrant = (world: World): object => ({ accessId: shown.get(world)?.accessId })
const asPerson = (world: World): Record<string, string> => ({ authorization: shown.get(world)!.token })
const invalid = { error: 'invalid-parameters-format' } as const

function strict(params: object): Scenario {
  return { name: 'refuses other params', kind: 'params', params: { ...params, unheardOf: 1 }, ...invalid }
}

function refusesUnknown(params: object): Scenario {
  return { name: 'refuses an unknown id', kind: 'unknown', params, error: 'unknown-resource' }
}

export const mirrorScenarios: Contract = {
  'mirrors.create': [
    {
      name: 'begins a copy',
      kind: 'success',
      before: seePerson,
      params: withAccess,
      answer: {
        mirror: {
          id: String,
          person: { username: /^paul-/ },
          streamId: /^:_followed:paul-/,
          state: 'starting'
        }
      }
    },
    {
      name: 'refuses a second one',
      kind: 'state',
      before: follow,
      params: withAccess,
      error: 'item-already-exists'
    },
    {
      name: 'refuses a person who has shared nothing',
      kind: 'state',
      before: beSeen,
      params: withGrant,
      error: 'invalid-operation'
    },
    strict({ accessId: 'x' }),
    refusesUnknown({ accessId: 'cunknown' }),
    ...closedToOthers({ accessId: 'x' }),
    ...withoutToken({ accessId: 'x' })
  ],
  'mirrors.get': [
    {
      name: 'lists mirrors',
      kind: 'success',
      before: follow,
      answer: { mirrors: [{ id: String, state: 'live', events: 0, skipped: 0 }], keptCopies: [] }
    },
    {
      name: 'lists copies that others keep',
      kind: 'success',
      before: endSharing,
      answer: world => ({
        mirrors: [],
        keptCopies: [{ ...withGrant(world), state: 'live', lastContact: Number }]
      })
    },
    strict({}),
    ...closedToOthers(),
    ...withoutToken()
  ],
  'mirrors.getOne': [
    {
      name: 'returns a mirror',
      kind: 'success',
      before: follow,
      params: withId,
      answer: { mirror: { state: 'live' } }
    },
    strict(unknown),
    refusesUnknown(unknown),
    ...closedToOthers(unknown),
    ...withoutToken(unknown)
  ],
  'mirrors.delete': [
    {
      name: 'ends a mirror',
      kind: 'success',
      before: follow,
      params: withId,
      answer: { mirror: { state: 'erasing', ended: { reason: 'deleted' } } }
    },
    strict(unknown),
    refusesUnknown(unknown),
    ...closedToOthers(unknown),
    ...withoutToken(unknown)
  ],
  'mirrors.report': [
    {
      name: 'records what was read',
      kind: 'success',
      by: 'nobody',
      only: 'http',
      before: beSeen,
      headers: asPerson,
      params: { ...live, reads: [read] },
      answer: { received: true },
      after: async ({ owner }) => {
        const { events } = await owner.do('events.get', {
          streams: [':_audit:action-mirrors.copyRead'],
          limit: 9
        })
        assert.equal(events.length, 1)
      }
    },
    strict(live),
    {
      name: 'refuses reads of another form',
      kind: 'params',
      params: { ...live, reads: [{ ...read, calls: 0 }] },
      ...invalid
    },
    { name: 'is refused to the owner', kind: 'caller', params: live, error: 'forbidden' },
    ...closedToOthers(live),
    ...withoutToken(live)
  ],
  'mirrors.reportErasure': [
    {
      name: 'records that the copy is erased',
      kind: 'success',
      by: 'nobody',
      only: 'http',
      before: endSharing,
      headers: asPerson,
      params: erased,
      answer: { received: true },
      after: async ({ owner }) => {
        const { keptCopies } = await owner.do('mirrors.get')
        assert.equal(keptCopies[0].state, 'erased')
        assert.equal(keptCopies[0].receipt, 'a.b.c')
      }
    },
    {
      name: 'refuses a copy that stays',
      kind: 'state',
      by: 'nobody',
      only: 'http',
      before: endSharing,
      headers: asPerson,
      params: { ...live, number: 2 },
      error: 'invalid-operation'
    },
    strict(erased),
    {
      name: 'requires the token of a permission',
      kind: 'caller',
      by: 'nobody',
      only: 'http',
      params: erased,
      error: 'forbidden'
    },
    {
      name: 'refuses an unknown token',
      kind: 'caller',
      by: 'stranger',
      only: 'http',
      params: erased,
      error: 'forbidden'
    }
  ],
  'mirrors.notify': [
    {
      name: 'wakes a mirror',
      kind: 'success',
      before: follow,
      params: world => ({ ...withId(world), key: seen.get(world)!.key }),
      answer: { received: true }
    },
    strict({ ...unknown, key }),
    refusesUnknown({ ...unknown, key }),
    {
      name: 'refuses a wrong key',
      kind: 'caller',
      by: 'nobody',
      only: 'http',
      before: follow,
      params: world => ({ ...withId(world), key }),
      error: 'unknown-resource'
    }
  ]
}
