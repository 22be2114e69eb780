/** Requests to a storage: with either version of undici, at the same time, and to a storage that closes connections or fails. */
import { EventEmitter, once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import t, { type Test } from 'tap'
import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici'
import { BucketObjects } from '../../cluster/objects/bucket-objects.js'
import { S3Client } from '../../storage/objects/s3-client.js'
import { uploadObject } from '../../storage/objects/s3-upload.js'
import { collectGarbage } from '../support/heap.js'

/** Starts a storage that closes the connection at the first `count` requests, and then answers. */
async function startStorage(
  t: Test,
  count: number
): Promise<{ readonly client: S3Client; readonly requests: string[] }> {
  const requests: string[] = []
  const client = await startServer(t, (request, response) => {
    requests.push(`${request.method} ${request.url}`)
    if (requests.length <= count) request.socket.destroy()
    else response.end('<?xml version="1.0"?><DeleteResult><Deleted><Key>a</Key></Deleted></DeleteResult>')
  })
  return { client, requests }
}

/** Starts a storage with custom responses. */
async function startServer(t: Test, listener: RequestListener): Promise<S3Client> {
  const server = createServer((request, response) => {
    request.resume()
    listener(request, response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return new S3Client({
    accessKeyId: 'key',
    secretAccessKey: 'secret',
    endpoint: `http://127.0.0.1:${port}/safe`,
    region: 'us-east-1'
  })
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

/** Begins an upload in parts, which is not repeated if it may have begun. */
const begin = (client: S3Client): Promise<unknown> => client.getMultipartUploadId('a')

t.test('a storage that is busy or fails', async t => {
  const start = async (status: number, count: number): Promise<{ client: S3Client; requests: string[] }> => {
    const requests: string[] = []
    const client = await startServer(t, ({ method, url }, response) => {
      requests.push(`${method} ${url}`)
      if (requests.length <= count)
        return response.writeHead(status).end('<Error><Code>SlowDown</Code></Error>')
      const upload = '<InitiateMultipartUploadResult><UploadId>1</UploadId></InitiateMultipartUploadResult>'
      const removed = '<DeleteResult><Deleted><Key>a</Key></Deleted></DeleteResult>'
      return response.end(url?.includes('uploads') ? upload : removed)
    })
    return { client, requests }
  }

  t.test('gets the request again', async t => {
    const sent = async (send: (client: S3Client) => Promise<unknown>, status: number): Promise<void> => {
      const { client, requests } = await start(status, 1)
      t.ok(await send(client))
      t.equal(requests.length, 2, `${status}: ${requests.join(', ')}`)
      t.equal(requests[0], requests[1])
    }
    await Promise.all([
      ...requestsOfAll.flatMap(send => [429, 500, 502, 503, 504].map(status => sent(send, status))),
      sent(begin, 503)
    ])
  })

  t.test('gets it three times at most, and once if it may not be repeated or is refused', async t => {
    const refused = async (
      send: (client: S3Client) => Promise<unknown>,
      status: number,
      count: number
    ): Promise<void> => {
      const { client, requests } = await start(status, Infinity)
      t.match(await send(client).catch((error: unknown) => error), { status })
      t.equal(requests.length, count, `${status}: ${requests.join(', ')}`)
    }
    const put = requestsOfAll[0]!
    await Promise.all([
      refused(put, 503, 3),
      refused(begin, 503, 3),
      refused(begin, 500, 1),
      refused(put, 403, 1)
    ])
  })
  t.end()
})

t.test('many lists at the same time, of prefixes without objects, are no endless list', async t => {
  const client = await startServer(t, (_request, response) => {
    response.end('<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>')
  })
  const lists = Array.from({ length: 30 }, (_, at) => client.listAll(`file/${at}/`, () => true))
  t.ok((await Promise.all(lists)).every(Boolean))
})

t.test('an upload whose parts cannot be put together is refused, though its status is 200', async t => {
  const requests: string[] = []
  const client = await startServer(t, ({ method, url }, response) => {
    requests.push(`${method} ${url!.replace(/^[^?]*/, '')}`)
    response.setHeader('etag', '"1"')
    if (url!.endsWith('?uploads='))
      response.end('<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>')
    else if (method === 'POST')
      // The storage sends spaces while it works, so that the connection stays.
      response.end('<?xml version="1.0" encoding="UTF-8"?>\n   <Error><Code>InternalError</Code></Error>')
    else response.end()
  })
  const file = Readable.from([Buffer.alloc(17 * 1024 * 1024)])
  await t.rejects(
    uploadObject(client, 'a', file, send => send()),
    { message: /InternalError/ }
  )
  t.equal(requests.at(-1), 'DELETE ?uploadId=u', 'its parts are removed')
})

t.test(
  'an upload that something else than a storage answers is refused, though its status is 200',
  async t => {
    for (const [answer, message] of [
      ['<html><body>Please sign in<br></body></html>', /not that of an S3-compatible storage/],
      ['<?xml version="1.0"?><Error><Code>SlowDown</Code></Error>', /SlowDown/]
    ] as const) {
      const client = await startServer(t, (_request, response) => void response.end(answer))
      const uploaded = uploadObject(client, 'a', Readable.from([Buffer.from('x')]), send => send())
      await t.rejects(uploaded, { message })
    }
  }
)

t.test('what does not exist counts as removed, unless the bucket is missing', async t => {
  for (const [code, isRemoved] of [
    ['NoSuchKey', true],
    ['NoSuchBucket', false]
  ] as const) {
    const client = await startServer(t, (_request, response) => {
      response.writeHead(404).end(`<?xml version="1.0"?><Error><Code>${code}</Code></Error>`)
    })
    const removed = client.removeObject('a')
    if (isRemoved) await removed
    else await t.rejects(removed, { message: /404/ })
  }
})

t.test('files take no memory while the storage does not answer', async t => {
  const [count, bytes] = [8, 8 * 1024 * 1024]
  const responses: ServerResponse[] = []
  const uploads = new EventEmitter()
  const areSent = once(uploads, 'sent')
  const { endpoint } = await startServer(t, (request, response) => {
    request.on('end', () => {
      if (responses.push(response) === count) uploads.emit('sent')
    })
  })
  const keys = { accessKey: 'key', secretKey: 'secret' }
  const place = { endpoint: endpoint.origin, region: 'us-east-1', bucket: 'safe', prefix: '' }
  const objects = new BucketObjects({ ...keys, ...place })
  const path = join(t.testdir(), 'file')
  writeFileSync(path, Buffer.alloc(bytes))
  collectGarbage()
  const before = process.memoryUsage().arrayBuffers
  const puts = Array.from({ length: count }, (_, at) => objects.put(`file/${at}`, path))
  await areSent
  collectGarbage()
  const held = process.memoryUsage().arrayBuffers - before
  t.ok(held < (count * bytes) / 4, `${held} bytes`)
  for (const response of responses) response.end()
  await Promise.all(puts)
})
