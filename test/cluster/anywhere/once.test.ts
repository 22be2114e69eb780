/** What may happen only once in a cluster: retrieving a secret, and verifying an address that two accounts have added. */
import { test } from 'tap'
import type { Answer } from '../../support/coffer.js'
import { MemoryCluster } from '../memory-engine.js'
import { begin, client, nameAt, startPair, tokens, userAt, type Node } from './memory-nodes.js'

const appId = 'test-app'

test('in a cluster', async t => {
  const cluster = new MemoryCluster()
  await begin(t, cluster)
  const nodes = await startPair(t, cluster)
  const [n1, n2] = nodes

  await t.test('of two retrievals at different nodes, one succeeds', async t => {
    const username = nameAt(n1, 0)
    await userAt(nodes, username)
    const retrieve = async (node: Node, params: object): Promise<number> =>
      (await node.service.http('POST', `/${username}/shared-secrets/retrieve`, params)).status
    for (let round = 0; round < 9; round++) {
      const { sharedSecret } = await client(n2, username).do('sharedSecrets.create', {
        ttl: 60,
        title: 'A key',
        secret: 'open',
        onConsumed: { message: 'Too late' }
      })
      const { key } = sharedSecret
      const statuses = await Promise.all(nodes.map(node => retrieve(node, { key })))
      t.strictSame(statuses.toSorted(), [200, 403])
    }
    await retrieve(n2, {})
    await retrieve(n1, {})
    t.equal(await retrieve(n2, {}), 429, 'attempts are counted by the account, not by the node')
  })

  await t.test('of two accounts at different nodes that verify one address, one gets it', async t => {
    const names = nodes.map(node => nameAt(node, 1))
    for (const username of names) await userAt(nodes, username)
    for (let round = 0; round < 10; round++) {
      const address = `round-${round}@example.com`
      for (const [index, username] of names.entries())
        await nodes[index]!.service.call(undefined, 'test.mailVerification', {
          username,
          address: index === 0 ? address : address.toUpperCase(),
          token: `${username} ${round}`
        })
      const answers = await Promise.all(
        names.map(async (username, index): Promise<Answer> => {
          // At the other node.
          const { service } = nodes[1 - index]!
          const params = { appId, token: `${username} ${round}` }
          const headers = { origin: service.server.url }
          return await service.http('POST', `/${username}/account/verify-email`, params, headers)
        })
      )
      t.strictSame(answers.map(({ status }) => status).toSorted(), [200, 409])
      const verified = await Promise.all(
        names.map(async username => {
          const { account } = (
            await n1.service.http('GET', `/${username}/account`, undefined, {
              authorization: tokens.get(username)!.token
            })
          ).body
          return account.emails.filter(
            ({ status, value }: Answer) => value.toLowerCase() === address && status === 'verified'
          ).length
        })
      )
      t.strictSame(verified.toSorted(), [0, 1])
    }
  })
})
