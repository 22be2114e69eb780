/** Three nodes as processes over three real engine servers, and a client that sends each request to the next node. */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import { parsePlacement, parseShard } from '../../../cluster/nodes/shard-placement.js'
import type { NatsEngine } from '../../../cluster/nats-engine.js'
import { createStreams, createStreamConfigs } from '../../../cluster/nats/streams.js'
import { openObjects } from '../../../cluster/objects/open.js'
import { beginPlatform } from '../../../cluster/platform/begin-platform.js'
import { createFixedShards } from '../../../core/call/shard.js'
import { Layout } from '../../../storage/files/layout.js'
import { PlatformStore } from '../../../storage/platform/platform-store.js'
import type { Answer } from '../../support/coffer.js'
import { EngineServers, until } from '../engine-servers.js'
import { NodeProcess } from '../node-processes.js'

export const adminKey = 'the key of the operator of three nodes'
const coffer = fileURLToPath(new URL('../../../scripts/coffer.cjs', import.meta.url))
const password = 'a long password for tests'
const appHeaders = { origin: 'https://app.example' }
const shards = createFixedShards(64)
const mebibyte = 1024 * 1024
/** Also allows large files. */
const limits = {
  shardBytes: 48 * mebibyte,
  platformBytes: 64 * mebibyte,
  bucketBytes: 8 * mebibyte,
  objectBytes: 3072 * mebibyte
}

/** The response of a node. */
export interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly body: Answer
}

export class ThreeNodes {
  #next = 0

  private constructor(
    readonly servers: EngineServers,
    readonly engine: NatsEngine,
    readonly nodes: readonly NodeProcess[]
  ) {}

  /** Starts everything, without accounts; the test's teardown stops it. Resolves once every shard is served. */
  static async start(t: Test, flags: readonly string[] = []): Promise<ThreeNodes> {
    const root = mkdtempSync(join(tmpdir(), 'coffer-three-'))
    t.teardown(() => rmSync(root, { recursive: true, force: true }))
    const servers = await EngineServers.start(t)
    const engine = await servers.connect(t)
    await createStreams(engine, createStreamConfigs(limits))
    await begin(join(root, 'beginning'), engine)
    const nodes = ['n1', 'n2', 'n3'].map(
      name =>
        new NodeProcess(t, {
          name,
          directory: join(root, name),
          engine: servers.urls.join(','),
          flags: [
            `--adminKey=${adminKey}`,
            '--auth.trustedApps=test-app@https://app.example',
            `--cluster.nodeUrl=https://${name}.example`,
            ...flags
          ]
        })
    )
    await Promise.all(nodes.map(node => node.start()))
    const three = new ThreeNodes(servers, engine, nodes)
    await until('all nodes to have their share', async () => {
      const counts = nodes.map(({ name }) => name)
      const places = await three.places()
      return places.size === 64 && counts.every(name => Array.from(places.values()).includes(name))
    })
    return three
  }

  /** The running nodes. */
  get running(): NodeProcess[] {
    return this.nodes.filter(({ url }) => url !== '')
  }

  /** Returns the next node, round robin. */
  next(): NodeProcess {
    const { running } = this
    return running[this.#next++ % running.length]!
  }

  /** Returns the node that the register names, by shard. */
  async places(): Promise<Map<number, string>> {
    const registers = await this.engine.register.list('shard.')
    return new Map(registers.map(register => [parseShard(register), parsePlacement(register)?.node ?? '']))
  }

  /** Returns whether a drained node serves no shard: others may assign some until they learn that it is drained. */
  async servesNothing(name: string): Promise<boolean> {
    return !Array.from((await this.places()).values()).includes(name)
  }

  /** Returns the node that serves a user. */
  async ownerOf(username: string): Promise<NodeProcess> {
    const name = (await this.places()).get(shards.indexOf(username))
    return this.nodes.find(node => node.name === name)!
  }

  /** Returns a username with a prefix that a node currently serves. */
  async nameAt(node: NodeProcess, prefix: string): Promise<string> {
    const places = await this.places()
    for (let index = 0; ; index++) {
      const name = `${prefix}-${index}`
      if (places.get(shards.indexOf(name)) === node.name) return name
    }
  }

  /** Sends a request to the next node, or to a given one. */
  async http(
    verb: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
    url = this.next().url
  ): Promise<Answered> {
    const isJson = body !== undefined && typeof body !== 'string' && !(body instanceof FormData)
    const sent = isJson ? JSON.stringify(body) : body
    const response = await fetch(url + path, {
      method: verb,
      headers: { ...(isJson && { 'content-type': 'application/json' }), ...headers },
      redirect: 'manual',
      ...(sent !== undefined && { body: sent })
    })
    const text = await response.text()
    const isJsonAnswer = /[/+]json/.test(response.headers.get('content-type') ?? '')
    return {
      status: response.status,
      headers: response.headers,
      body: isJsonAnswer && text !== '' ? JSON.parse(text) : text
    }
  }

  /** Registers a user at one node and signs in at the next. */
  async user(username: string): Promise<Person> {
    const registered = await settled(() => this.http('POST', '/users', registration(username), appHeaders))
    // An attempt that seemed to fail may have succeeded.
    if (![201, 409].includes(registered.status)) throw new Error(JSON.stringify(registered.body))
    const { body, status } = await settled(() => this.signIn(username))
    if (status !== 200) throw new Error(JSON.stringify(body))
    return new Person(this, username, body.token as string)
  }

  /** Signs a user in at the next node. */
  async signIn(username: string): Promise<Answered> {
    const login = { appId: 'test-app', username, password }
    return await this.http('POST', `/${username}/auth/login`, login, appHeaders)
  }

  /** Runs `coffer cluster` and returns its JSON output. Rejects if it fails. */
  async command(...args: readonly string[]): Promise<Answer> {
    const all = ['cluster', ...args, '--json', `--cluster.engine=${this.servers.urls.join(',')}`]
    const { stdout } = await promisify(execFile)(process.execPath, [coffer, ...all])
    return JSON.parse(stdout)
  }
}

/** Returns the first response that is not 503, as during takeovers. */
export async function settled(request: () => Promise<Answered>): Promise<Answered> {
  let answer: Answered | undefined
  await until('an answer', async () => {
    answer = await request().catch(() => undefined)
    return answer !== undefined && answer.status !== 503
  })
  return answer!
}

/** A signed-in user who sends each request to the next node. */
export class Person {
  constructor(
    readonly three: ThreeNodes,
    readonly username: string,
    readonly token: string
  ) {}

  /** Sends a request below the user's path. */
  async http(verb: string, path: string, body?: unknown, url?: string): Promise<Answered> {
    return await this.three.http(
      verb,
      `/${this.username}${path}`,
      body,
      { authorization: this.token },
      url ?? this.three.next().url
    )
  }

  /** Calls a method in a batch. Rejects with its error. */
  async do(method: string, params: unknown = {}): Promise<Answer> {
    const { body } = await this.http('POST', '', [{ method, params }])
    const [result] = body.results ?? [body]
    if (result.error) throw new Error(`${method}: ${JSON.stringify(result.error)}`)
    return result
  }
}

/** Returns the registration that a page of an app sends. */
export function registration(username: string, email = `${username}@example.com`): object {
  return { appId: 'test-app', username, password, email }
}

/** Creates the platform log, without accounts. */
async function begin(folder: string, engine: NatsEngine): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const platform = new PlatformStore(new Layout(folder))
  await beginPlatform(platform, { engine, objects: openObjects('nats', engine), draftsDirectory: folder })
  platform.close()
}
