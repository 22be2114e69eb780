/** Free ports for processes whose port must be known in advance. */
import { createServer, type Server } from 'node:net'

/**
 * Ports that systems do not give to outgoing connections: those take a port that a stopped server is about to listen on
 * again.
 */
const lowest = 15_000
const highest = 32_700

/** Returns free ports, each held until all are found. */
export async function freePorts(count: number): Promise<number[]> {
  const holders = new Map<number, Server>()
  while (holders.size < count) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest))
    const server = holders.has(port) ? undefined : await listen(port)
    if (server) holders.set(port, server)
  }
  await Promise.all([...holders.values()].map(server => new Promise(resolve => server.close(resolve))))
  return [...holders.keys()]
}

/** Returns a free port. */
export async function freePort(): Promise<number> {
  const [port] = await freePorts(1)
  return port!
}

/** Listens on a port; returns `undefined` if it is taken. */
async function listen(port: number): Promise<Server | undefined> {
  const server = createServer()
  return await new Promise(resolve => {
    server.once('error', () => resolve(undefined))
    server.listen(port, '127.0.0.1', () => resolve(server))
  })
}
