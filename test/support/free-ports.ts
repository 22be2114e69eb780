/** Ports for processes that have to be told which one to listen at. */
import { once } from 'node:events'
import { createServer, type AddressInfo, type Server } from 'node:net'

/** Ports that nobody uses, each held until all are found. */
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

/** A port that nobody uses. */
export async function freePort(): Promise<number> {
  const [port] = await freePorts(1)
  return port!
}
