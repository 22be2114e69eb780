/** Scenarios of sessions, which the user can list and end. (docs/spec/authentication.md#sessions) */
import assert from 'node:assert/strict'
import { closedToOthers, lacks, withoutToken, type Contract } from './scenario.js'
import type { World } from './world.js'

const invalid = { kind: 'params', error: 'invalid-parameters-format' } as const

/** The user is also signed in with another app. */
const signedIn = { before: async (world: World): Promise<void> => await world.signIn('other-app') } as const

export const sessionScenarios: Contract = {
  'sessions.get': [
    {
      name: 'lists sessions without tokens',
      kind: 'success',
      ...signedIn,
      answer: ({ owner, sessionId }) => ({
        sessions: [
          { id: owner.access.id, appId: 'coffer-test', isCurrent: true },
          { id: sessionId, appId: 'other-app', isCurrent: false, created: Number, lastUsed: Number }
        ]
      }),
      after(_world, { sessions }) {
        assert.equal(sessions.length, 2)
        for (const session of sessions) {
          lacks(session, 'token', 'apiEndpoint')
          assert.equal(session.expires - session.lastUsed, 1_209_600)
        }
      }
    },
    { name: 'accepts no params', ...invalid, params: { unheardOf: 1 } },
    ...closedToOthers(),
    ...withoutToken()
  ],

  'sessions.delete': [
    {
      name: 'ends a session: its token becomes invalid, its access remains',
      kind: 'success',
      ...signedIn,
      params: ({ sessionId }) => ({ id: sessionId }),
      answer: ({ sessionId }) => ({ sessionDeletion: { id: sessionId } }),
      async after({ owner, service, sessionId, sessionToken }) {
        const { error } = await service.call(owner.username, 'getAccessInfo', {}, sessionToken)
        assert.equal(error.id, 'invalid-access-token')
        const { accesses } = await owner.do('accesses.get')
        assert.ok(accesses.some(({ id }: { id: string }) => id === sessionId))
        assert.equal((await owner.do('sessions.get')).sessions.length, 1)
      }
    },
    {
      name: "ends the caller's own",
      kind: 'success',
      params: ({ owner }) => ({ id: owner.access.id }),
      answer: { sessionDeletion: Object },
      after: async ({ owner }) =>
        assert.equal((await owner.call('getAccessInfo')).error.id, 'invalid-access-token')
    },
    { name: 'requires a string', ...invalid, only: 'batch', params: { id: 12 } },
    {
      name: 'refuses an unknown session',
      kind: 'unknown',
      params: { id: 'no-such-session' },
      error: 'unknown-resource'
    },
    {
      name: 'refuses accesses that are not sessions',
      kind: 'unknown',
      params: world => ({ id: world.client('app').access.id }),
      error: 'unknown-resource'
    },
    ...closedToOthers(({ owner }) => ({ id: owner.access.id })),
    ...withoutToken({ id: 'any' })
  ],

  'sessions.deleteAll': [
    {
      name: "ends all but the caller's own",
      kind: 'success',
      ...signedIn,
      answer: ({ sessionId }) => ({ sessionDeletions: [{ id: sessionId }] }),
      async after({ owner }, { sessionDeletions }) {
        assert.equal(sessionDeletions.length, 1)
        assert.equal((await owner.do('sessions.get')).sessions.length, 1)
      }
    },
    {
      name: "ends the caller's own too if it is to",
      kind: 'success',
      ...signedIn,
      params: { includeCurrent: true },
      answer: ({ owner }) => ({ sessionDeletions: [{ id: owner.access.id }, {}] }),
      after: async ({ owner }) =>
        assert.equal((await owner.call('getAccessInfo')).error.id, 'invalid-access-token')
    },
    { name: 'requires a boolean', ...invalid, params: { includeCurrent: 'perhaps' } },
    ...closedToOthers(),
    ...withoutToken()
  ]
}
