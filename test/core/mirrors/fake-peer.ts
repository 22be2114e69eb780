/** A server that answers what a test wants, in place of Paul's. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import { updateMark, writeAsService } from '../../../core/cmc/service-calls.js'
import { getCounterparty } from '../../../core/permissions/peer-access.js'
import type { World } from './world.js'

export class FakePeer {
  /** Paths that were called. */
  readonly calls: string[] = []
  streams: unknown = [{ id: 'health', name: 'Health', children: [] }]
  /** Answers a list of events. */
  events: (query: URLSearchParams) => unknown = () => []
  /** Answers a list of deletions. */
  deletions: (query: URLSearchParams) => unknown = () => []
  /** Handles a request in place of the above; returns false to leave it. */
  handle: (request: IncomingMessage, response: ServerResponse) => boolean = () => false

  answer(request: IncomingMessage, response: ServerResponse): void {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x')
    this.calls.push(`${pathname}?${searchParams.toString()}`)
    if (this.handle(request, response)) return
    const path = pathname.split('/').at(-1)
    const isDeletions = searchParams.has('includeDeletions')
    if (path === 'streams') send(response, 200, { streams: this.streams })
    else if (path === 'events' && isDeletions)
      send(response, 200, { events: [], eventDeletions: this.deletions(searchParams) })
    else if (path === 'events')
      send(response, 200, { events: this.events(searchParams), meta: { serverTime: 2e9 } })
    else send(response, 404, { error: { id: 'unknown-resource' } })
  }
}

export function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** Starts such a server, and lets the relationship lead to it. */
export async function startFakePeer(t: Test, { channel, dora, requesterService }: World): Promise<FakePeer> {
  const peer = new FakePeer()
  const server = createServer((request, response) => {
    request.resume()
    peer.answer(request, response)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const { services } = requesterService.server as unknown as {
    services: Parameters<typeof writeAsService>[0]
  }
  const account = services.accounts.find(dora.username)!
  await writeAsService(services, account, call => {
    const access = call.store.accesses.find(channel.id)!
    const { counterparty } = getCounterparty(access)!
    const apiEndpoint = `http://token@127.0.0.1:${port}/paul-patient/`
    updateMark(call, access, { counterparty: { ...counterparty, apiEndpoint } })
  })
  return peer
}
