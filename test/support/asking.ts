/** An app that requests an access from Alice, with helpers for the steps that follow. */
import type { Test } from 'tap'
import { openCoffer, type Answer, type Client, type Overrides, type Service } from './coffer.js'

export const asked = {
  requestingAppId: 'asking-app',
  requestedPermissions: [{ streamId: 'diary', level: 'read' }]
}

/** Starts a service with an app that requests an access from Alice, and returns helpers for the flow. */
export async function start(t: Test, overrides: Overrides = {}) {
  const service = await openCoffer(t, overrides)
  const { alice } = service
  await alice.stream('diary')
  const app = await alice.grant('read', 'diary', { type: 'app', name: 'asking-app' })
  return { service, alice, app, ...flow(service, alice) }
}

/** Returns the steps of the flow, on a service. */
export function flow(service: Service, alice: Client) {
  const call = async (method: string, params: object, ip = '127.0.0.1'): Promise<Answer> =>
    await service.call(undefined, `authRequest.${method}`, params, undefined, { ip })
  const ask = async (fields: object = {}, ip?: string): Promise<Answer> =>
    await call('create', { ...asked, ...fields }, ip)
  const poll = async (key: string, ip?: string): Promise<Answer> => await call('poll', { key }, ip)
  const accept = async (key: string, { access, username }: Client = alice, ip?: string): Promise<Answer> =>
    await call('decide', { key, status: 'ACCEPTED', username, token: access.token }, ip)
  const refuse = async (key: string): Promise<Answer> => await call('decide', { key, status: 'REFUSED' })
  return { call, ask, poll, accept, refuse }
}
