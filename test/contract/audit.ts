/** Scenarios of the audit log. (docs/spec/audit.md) */
import assert from 'node:assert/strict'
import { withoutToken, type Contract } from './scenario.js'

export const auditScenarios: Contract = {
  'audit.get': [
    {
      name: 'returns calls with their action and result, newest first',
      kind: 'success',
      answer: ({ owner }) => ({
        auditLogs: [
          {
            id: /^:_audit:c[a-z0-9]{24}$/,
            type: 'audit/core',
            time: Number,
            forwardedFor: /^(127\.0\.0\.1|::1)$/,
            action: 'POST /accesses',
            accessId: owner.access.id,
            status: 201,
            content: {
              action: 'accesses.create',
              record: { key: /^ACCESS:0:c/, integrity: /^ACCESS:0:sha256-/ }
            }
          }
        ]
      })
    },
    {
      name: 'returns refused calls by status',
      kind: 'success',
      before: async world => {
        await world
          .client('reader')
          .call('events.create', { streamIds: ['diary'], type: 'note/txt', content: 'x' })
      },
      params: ({ clients }) => ({ status: '40', accessId: clients.get('reader')!.access.id }),
      answer: {
        auditLogs: [{ status: 403, errorId: 'forbidden', errorMessage: /./, action: 'POST /events' }]
      },
      after: (_world, { auditLogs }) => assert.equal(auditLogs.length, 1)
    },
    {
      name: 'returns to an access its own calls',
      kind: 'success',
      by: 'reader',
      before: async world => {
        await world.client('reader').do('events.get')
        await world.owner.do('events.get')
      },
      params: { resource: 'events', httpVerb: 'get' },
      answer: ({ clients }) => ({ auditLogs: [{ accessId: clients.get('reader')!.access.id }] }),
      after: (_world, { auditLogs }) => assert.equal(auditLogs.length, 1)
    },
    {
      name: 'requires a status of one to three digits',
      kind: 'params',
      params: { status: '4444' },
      error: 'invalid-parameters-format'
    },
    {
      name: 'refuses other parameters',
      kind: 'params',
      params: { running: true },
      error: 'invalid-parameters-format'
    },
    {
      name: 'refuses streams outside the audit log',
      kind: 'params',
      params: { streams: [':_audit:nothing'] },
      error: 'unknown-referenced-resource'
    },
    {
      name: 'refuses the calls of another access',
      kind: 'caller',
      by: 'reader',
      params: ({ owner }) => ({ accessId: owner.access.id }),
      error: 'forbidden'
    },
    {
      name: 'refuses an unknown access',
      kind: 'caller',
      by: 'app',
      params: { accessId: 'nobody' },
      error: 'forbidden'
    },
    ...withoutToken()
  ]
}
