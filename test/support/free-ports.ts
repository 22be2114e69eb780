/** Free ports for processes whose port must be known in advance. */
import { once } from 'node:events'
import { createServer, type AddressInfo, type Server } from 'node:net'

/** Returns free ports, each held until all are found. */
export async function freePorts(count: number): Promise<number[]> {
  const holders: Server[] = []
  for (let index = 0; index < count; index++) {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    holders.push(server)
  }
  const ports = holders.map(server => (server.address() as AddressInfo).port)
  await Promise.all(
    holders.map(server => {
      const closed = once(server, 'close')
      server.close()
      return closed
    })
  )
  return ports
}

/** Returns a free port. */
export async function freePort(): Promise<number> {
  const [port] = await freePorts(1)
  return port!
}
