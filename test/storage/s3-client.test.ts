/** Requests to a storage: with either version of undici, and to a storage that closes connections. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici'
import { S3Client } from '../../storage/objects/s3-client.js'

/** Starts a storage that closes the connection at the first `count` requests, and then answers. */
async function startStorage(
  t: Test,
  count: number
): Promise<{ readonly client: S3Client; readonly requests: string[] }> {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    request.resume()
    if (requests.length <= count) request.socket.destroy()
    else response.end('<?xml version="1.0"?><DeleteResult><Deleted><Key>a</Key></Deleted></DeleteResult>')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const client = new S3Client({
    accessKeyId: 'key',
    secretAccessKey: 'secret',
    endpoint: `http://127.0.0.1:${port}/safe`,
    region: 'us-east-1'
  })
  return { client, requests }
}

const requestsOfAll: readonly ((client: S3Client) => Promise<unknown>)[] = [
  client => client.putObject('a', Buffer.from('x')),
  client => client.getObjectResponse('a'),
  client => client.deleteObject('a'),
  client => client.deleteObjects(['a'])
]

t.test("are sent in a process that has loaded the library's own undici, as the service has", async t => {
  const former = getGlobalDispatcher()
  const agent = new Agent()
  setGlobalDispatcher(agent)
  t.teardown(async () => {
    setGlobalDispatcher(former)
    await agent.close()
  })
  const { client, requests } = await startStorage(t, 0)
  for (const send of requestsOfAll) t.ok(await send(client))
  t.equal(requests.length, requestsOfAll.length)
})

t.test('a closed connection', async t => {
  t.test('is no failure of requests that can be repeated', async t => {
    for (const send of requestsOfAll) {
      const { client, requests } = await startStorage(t, 1)
      t.ok(await send(client))
      t.equal(requests.length, 2, requests.join(', '))
      t.equal(requests[0], requests[1])
    }
  })

  t.test('ends requests that cannot, and those that fail again', async t => {
    const first = await startStorage(t, 1)
    await t.rejects(first.client.getMultipartUploadId('a'))
    t.equal(first.requests.length, 1)
    const second = await startStorage(t, 2)
    await t.rejects(second.client.putObject('a', Buffer.from('x')))
    t.equal(second.requests.length, 2)
  })
  t.end()
})
