/** OAuth in a cluster: proofs and assertions are used once, and clients revoked, for all nodes. (docs/api/oauth.md) */
import { test } from 'tap'
import { createFixedShards } from '../../core/call/shard.js'
import type { Service } from '../support/coffer.js'
import { callBound, createHolder, makeAssertion, makeProof, seenAt } from '../support/key-proofs.js'
import { agree, app, begin as ask, clientId, exchange, post } from '../support/oauth.js'
import { until } from '../support/socket.js'
import {
  adminKey,
  begin,
  client,
  move,
  nameAt,
  startPair,
  userAt,
  type Node
} from './anywhere/memory-nodes.js'
import { MemoryCluster } from './memory-engine.js'

const publicUrl = 'https://coffer.example'

test('two nodes', async t => {
  const holder = await createHolder()
  const cluster = new MemoryCluster()
  await begin(t, cluster)
  const keyed = { redirectURIs: ['https://a.example/'], keys: [{ kid: 'one', ...holder.jwk }] }
  const apps = [app, { id: 'keyed-client', oauth: keyed }] as never
  const [n1, n2] = await startPair(t, cluster, { access: { apps }, publicUrl })
  const alice = nameAt(n1, 0)
  await userAt([n1, n2], alice)
  const at = ({ service }: Node): Service => seenAt(service, publicUrl)
  const begun = await ask(n2.service, { scope: 'offline_access diary:read' })
  const code = await agree(n2.service, client(n2, alice), begun)
  const proof = async (verb: string, path: string): Promise<string> =>
    await makeProof(holder, { verb, url: publicUrl + path, now: n1.service.clock.now() })
  const form = {
    grant_type: 'authorization_code',
    code: code.searchParams.get('code')!,
    client_id: clientId,
    code_verifier: begun.verifier
  }
  const { body } = await post(n2.service, '/oauth2/token', form, {
    dpop: await proof('POST', '/oauth2/token')
  })
  const token: string = body.access_token
  t.equal(body.token_type, 'DPoP')

  await t.test('accept a proof once', async t => {
    const use = async (node: Node, jti: string): Promise<number> =>
      (await callBound(at(node), holder, token, ['GET', `/${alice}/streams`], { claims: { jti } })).status
    t.same([await use(n1, 'a'), await use(n2, 'a')], [200, 401])
    t.same([await use(n2, 'b'), await use(n1, 'b')], [200, 401])
    const all = await Promise.all(Array.from({ length: 10 }, (_, index) => use(index % 2 ? n1 : n2, 'c')))
    t.equal(all.filter(status => status === 200).length, 1)
    await move(n1, n2, createFixedShards(64).indexOf(alice))
    await until(() => n2.owns(alice), 'the move')
    t.same([await use(n1, 'a'), await use(n2, 'b'), await use(n1, 'd')], [401, 401, 200], 'after a move')
  })

  await t.test('accept a proof at the token endpoint, and an assertion, once', async t => {
    const refresh = { grant_type: 'refresh_token', refresh_token: body.refresh_token, client_id: clientId }
    const dpop = await proof('POST', '/oauth/token')
    const answers = [
      await post(n1.service, '/oauth/token', refresh, { dpop }),
      await post(n2.service, '/oauth/token', refresh, { dpop })
    ]
    t.match(answers, [{ status: 200 }, { status: 400, body: { error: 'invalid_dpop_proof' } }])
    const about = { audience: publicUrl, client: 'keyed-client', kid: 'one', now: n1.service.clock.now() }
    const asserted = {
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: await makeAssertion(holder, about),
      token: 'x'
    }
    const uses = await Promise.all(
      [n1, n2].map(async each => (await post(each.service, '/oauth/introspect', asserted)).status)
    )
    t.same(uses.toSorted(), [200, 401])
  })

  await t.test('refuse a revoked client', async t => {
    const other = await ask(n1.service)
    const bearer = (await exchange(n1.service, other, await agree(n1.service, client(n1, alice), other))).body
    const headers = { authorization: `Bearer ${bearer.access_token}` }
    for (const { service } of [n1, n2])
      t.equal((await service.http('GET', `/${alice}/streams`, undefined, headers)).status, 200)
    const path = `/system/oauth/clients/${clientId}/revocation`
    const revoked = await n1.service.http('POST', path, undefined, { authorization: adminKey })
    t.equal(revoked.status, 200)
    await n2.service.server.services.platform.catchUp()
    for (const { service } of [n1, n2])
      t.equal((await service.http('GET', `/${alice}/streams`, undefined, headers)).status, 401)
  })
})

test('a client that has registered at one node is known at the other at once', async t => {
  const cluster = new MemoryCluster()
  await begin(t, cluster)
  const [n1, n2] = await startPair(t, cluster, { oauth: { registration: true }, publicUrl })
  const bob = nameAt(n2, 0)
  await userAt([n1, n2], bob)
  const engine = cluster.engines.at(-1)!
  /** Makes a call at the second node, which hears of the client only during the call. */
  const callBehind = async <T>(call: (client: string) => Promise<T>): Promise<T> => {
    engine.isCutOff = true
    const metadata = { redirect_uris: ['http://127.0.0.1/callback'], token_endpoint_auth_method: 'none' }
    const { body } = await n1.service.http('POST', '/oauth/register', metadata)
    const made = call(body.client_id)
    await new Promise(resolve => setImmediate(resolve))
    engine.isCutOff = false
    return await made
  }
  const asked = await callBehind(
    async id => await ask(n2.service, { client_id: id, redirect_uri: 'http://127.0.0.1/callback' })
  )
  t.match(asked.location.pathname, /access\.html$/)
  const token = `${bob}.c${'a'.repeat(24)}`
  const inspected = await callBehind(
    async id => await post(n2.service, '/oauth/introspect', { client_id: id, token })
  )
  t.match(inspected, { status: 200, body: { active: false } })
})
