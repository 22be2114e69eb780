/** The reference servers, and what to ask them: the ceilings that rows are held against. */
import { Child } from './child.js'
import type { ReferencePorts } from './reference/main.js'
import { requestText, type Ask } from './requests.js'
import { password, postedEvent } from './sample.js'
import { postedPoints } from './series-sample.js'

/** Users of the reference server and of Coffer, over whom load is spread. */
export const userCount = 20
/** Creates in a batch. */
export const batchSize = 100

interface Reference extends Ask {
  readonly on: keyof ReferencePorts
  /** Requests in flight at a time. */
  readonly connections: number
}

const event = postedEvent('reference')
const calls = Array.from({ length: batchSize }, () => ({ method: 'events.create', params: event }))

/** A path may hold `{user}`. */
export const references = {
  'http echo': { on: 'bare', connections: 64, path: '/echo' },
  'koa echo': { on: 'koa', connections: 64, path: '/echo' },
  'koa + router echo': { on: 'router', connections: 64, path: '/someone/echo' },
  'http POST, parse': { on: 'bare', connections: 64, path: '/echo', body: event },
  'koa POST, parse': { on: 'koa', connections: 64, path: '/echo', body: event },
  'koa + router POST, parse': { on: 'router', connections: 64, path: '/someone/echo', body: event },
  '20 stored texts': { on: 'bare', connections: 64, path: '/get20/{user}' },
  '1,000 stored texts': { on: 'bare', connections: 16, path: '/get1000/{user}' },
  '100 streams to JSON': { on: 'bare', connections: 64, path: '/streams' },
  'insert, sync in loop': { on: 'bare', connections: 64, path: '/create-in-loop/{user}', body: event },
  'insert, sync off-thread': { on: 'bare', connections: 64, path: '/create-off-thread/{user}', body: event },
  'insert, one user, in loop': { on: 'bare', connections: 64, path: '/create-in-loop/0', body: event },
  'insert, one user, off-thread': { on: 'bare', connections: 64, path: '/create-off-thread/0', body: event },
  '100 inserts, sync off-thread': { on: 'bare', connections: 16, path: '/batch/{user}', body: calls },
  '1,000 points in, sync off-thread': {
    on: 'bare',
    connections: 16,
    path: '/points-in/{user}',
    text: postedPoints(1000)
  },
  '100k points of stored text': { on: 'bare', connections: 4, path: '/points-out/{user}' },
  'file as it is': { on: 'bare', connections: 64, path: '/file' },
  'argon2id verify': { on: 'bare', connections: 2, path: '/login', body: { password } }
} as const satisfies Record<string, Reference>

export type ReferenceName = keyof typeof references

/** The running reference servers: three ports of one process. */
export class ReferenceServer {
  private constructor(
    private readonly child: Child<object, ReferencePorts>,
    private readonly ports: ReferencePorts
  ) {}

  static async start(directory: string): Promise<ReferenceServer> {
    const child = new Child<object, ReferencePorts>(new URL('reference/main.js', import.meta.url), [
      directory,
      String(userCount)
    ])
    return new ReferenceServer(child, await child.hear())
  }

  get pid(): number {
    return this.child.pid
  }

  port(name: ReferenceName): number {
    return this.ports[references[name].on]
  }

  requests(name: ReferenceName): string[] {
    const { path, body, text }: Reference = references[name]
    return Array.from({ length: userCount }, (_, user) =>
      requestText({ body, text, path: path.replace('{user}', String(user)) })
    )
  }

  async stop(): Promise<void> {
    await this.child.stop()
  }
}
