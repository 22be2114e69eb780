/** Scenarios of OAuth clients that ask for an offer to be accepted. (docs/api/oauth.md#offers) */
import assert from 'node:assert/strict'
import { createId } from '../../core/ids.js'
import { begin, exchange, type Begun } from '../support/oauth.js'
import { offer } from '../support/two-servers.js'
import { closedToOthers, withoutToken, type Contract, type Params, type Scenario } from './scenario.js'
import type { World } from './world.js'

const redirectUri = 'https://study.example.com/callback'

const requests = new WeakMap<World, Begun>()

/** Registers a client with an offer of another account, and begins its request. */
async function ask(world: World): Promise<void> {
  const { service } = world
  const dora = await service.user(`dora-${createId().slice(-8)}`)
  const request = { allowUserChoice: true, permissions: [{ streamId: 'diary', level: 'read' }] }
  const { content } = await offer(dora, { request, capability: { mode: 'open-link' } })
  const client = {
    id: createId(),
    name: 'Study',
    created: service.clock.now(),
    redirectURIs: [redirectUri],
    offers: { study: content.capabilityUrl }
  }
  await service.call(undefined, 'test.addClient', { client })
  const params = { client_id: client.id, redirect_uri: redirectUri, scope: 'cmc:study' }
  requests.set(world, await begin(service, params))
}

/** Also accepts the offer. */
async function accept(world: World): Promise<void> {
  await ask(world)
  await world.owner.do('oauth.acceptOffer', withState()(world))
}

const withState =
  (fields: object = {}): Extract<Params, (...args: never[]) => unknown> =>
  world => ({ state: requests.get(world)?.location.searchParams.get('state') ?? 'a guess', ...fields })

const malformed = { kind: 'params', error: 'invalid-parameters-format' } as const
const guess = { state: 'a guess' }

const answered: Scenario = {
  name: 'refuses a request that has been answered',
  kind: 'params',
  before: accept,
  params: withState(),
  error: 'invalid-operation'
}
const unknown: Scenario = {
  name: 'refuses an unknown request',
  kind: 'unknown',
  params: guess,
  error: 'unknown-referenced-resource'
}

export const oauthOfferScenarios: Contract = {
  'oauth.readOffer': [
    {
      name: 'returns the offer, and who asks',
      kind: 'success',
      before: ask,
      params: withState(),
      answer: {
        offer: { content: { request: { title: { en: 'Study' } } } },
        requester: { username: /^dora-/, host: String },
        client: { name: 'Study' },
        returnTo: redirectUri
      }
    },
    answered,
    unknown,
    { name: 'refuses other params', ...malformed, params: { ...guess, unheardOf: 1 } },
    ...closedToOthers(guess),
    ...withoutToken(guess)
  ],

  'oauth.acceptOffer': [
    {
      name: 'leads back to the client with a code',
      kind: 'success',
      before: ask,
      params: withState({ grantedPermissions: [{ streamId: 'diary', level: 'read' }] }),
      answer: { redirectTo: /^https:\/\/study\.example\.com\/callback\?code=/ },
      async after(world, { redirectTo }) {
        const { body } = await exchange(world.service, requests.get(world)!, new URL(redirectTo))
        assert.equal(body.scope, 'cmc:study')
        assert.equal(body.username, world.owner.username)
      }
    },
    {
      name: 'refuses more than is offered',
      kind: 'params',
      before: ask,
      params: withState({ grantedPermissions: [{ streamId: 'diary', level: 'manage' }] }),
      error: 'invalid-operation',
      match: { data: { id: 'cmc-granted-permissions-not-subset' } }
    },
    answered,
    unknown,
    { name: 'refuses other params', ...malformed, params: { ...guess, unheardOf: 1 } },
    { name: 'refuses an empty choice', ...malformed, params: { ...guess, grantedPermissions: [] } },
    ...closedToOthers(guess),
    ...withoutToken(guess)
  ]
}
