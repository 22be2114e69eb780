/** Scenarios of consent between accounts. (docs/spec/consent.md) */
import { createId } from '../../core/ids.js'
import { settled } from '../support/two-servers.js'
import { closedToOthers, withoutToken, type Contract, type Scenario } from './scenario.js'
import type { World } from './world.js'

const urls = new WeakMap<World, string>()

/** Publishes an offer of another account. */
async function offer(world: World): Promise<void> {
  const dora = await world.service.user(`dora-${createId().slice(-8)}`)
  const { event } = await dora.do('events.create', {
    streamIds: [':_cmc:apps:clinic'],
    type: 'consent/request-cmc',
    content: {
      to: null,
      capabilityRequested: true,
      request: {
        title: { en: 'Study' },
        description: { en: 'A study' },
        consent: { en: 'I agree' },
        permissions: [{ streamId: 'diary', level: 'read' }]
      }
    }
  })
  urls.set(world, event.content.capabilityUrl)
}

const grants = new WeakMap<World, string>()

/** Accepts an offer of another account. */
async function agree(world: World): Promise<void> {
  await offer(world)
  const { event } = await world.owner.do('events.create', {
    streamIds: [':_cmc:apps:clinic'],
    type: 'consent/accept-cmc',
    content: withUrl(world)
  })
  const { dataGrantAccessId } = await settled(world.owner, event.id)
  grants.set(world, dataGrantAccessId)
}

const withUrl = (world: World): object => ({ capabilityUrl: urls.get(world) })
const unknownId = { id: `c${'0'.repeat(24)}` }
const unknownUrl = { capabilityUrl: 'https://token@coffer.example/daisy/' }

export const cmcScenarios: Contract = {
  'cmc.readOffer': [
    {
      name: 'returns the offer and who makes it',
      kind: 'success',
      before: offer,
      params: withUrl,
      answer: {
        offer: { content: { request: { permissions: [{ streamId: 'diary', level: 'read' }] } } },
        requester: { username: /^dora-/, host: String }
      }
    },
    ...['not a URL', 'https://coffer.example/daisy/', 'ftp://token@coffer.example/'].map(
      (capabilityUrl): Scenario => ({
        name: `refuses ${capabilityUrl}`,
        kind: 'params',
        params: { capabilityUrl },
        error: 'invalid-operation',
        match: { data: { id: 'cmc-handler-offer-read-failed' } }
      })
    ),
    {
      name: 'refuses other params',
      kind: 'params',
      params: { ...unknownUrl, unheardOf: 1 },
      error: 'invalid-parameters-format'
    },
    ...closedToOthers(unknownUrl),
    ...withoutToken(unknownUrl)
  ],
  'cmc.getPeerAccess': [
    {
      name: 'returns what the other account has granted: nothing but messages',
      kind: 'success',
      before: agree,
      params: world => ({ id: grants.get(world) }),
      answer: { peerAccess: { hasEnded: false, permissions: [] } }
    },
    {
      name: 'refuses other params',
      kind: 'params',
      params: { ...unknownId, x: 1 },
      error: 'invalid-parameters-format'
    },
    { name: 'knows no other accesses', kind: 'unknown', params: unknownId, error: 'unknown-resource' },
    ...closedToOthers(unknownId),
    ...withoutToken(unknownId)
  ]
}
