/** An in-memory engine shared by several nodes of one process. Each can be cut off from it. */
import {
  Conflict,
  EngineUnavailable,
  type MessageHandler,
  type Engine,
  type Entry,
  type Register,
  type RegisterValue
} from '../../cluster/engine.js'

/** The state that the nodes share. */
export class MemoryCluster {
  readonly logs = new Map<string, Entry[]>()
  readonly registers = new Map<string, RegisterValue>()
  readonly answering = new Map<string, MessageHandler>()
  readonly engines: MemoryEngine[] = []
  last = 0

  /** Opens a connection. */
  connect(maxBytes?: number): MemoryEngine {
    const engine = new MemoryEngine(this, maxBytes)
    this.engines.push(engine)
    return engine
  }
}

export class MemoryEngine implements Engine {
  /** Whether the engine is unreachable. */
  isCutOff = false
  /** Subjects of logs that are unreachable. */
  readonly silent = new Set<string>()
  /** How many of the next register changes are made without a response. */
  unanswered = 0
  /** How many of the next messages are lost: with `after`, once they have been handled. */
  lost = { before: 0, after: 0 }
  readonly hearing = new Set<{ topic: string; hearing: (message: Uint8Array) => void }>()
  readonly #answering = new Set<string>()
  readonly register: Register = {
    get: async key => {
      await this.#reach()
      return this.cluster.registers.get(key)
    },
    cas: async (key, expected, bytes) => {
      await this.#reach()
      if ((this.cluster.registers.get(key)?.revision ?? 0) !== expected) throw new Conflict(key)
      const revision = ++this.cluster.last
      this.cluster.registers.set(key, { key, revision, bytes: Buffer.from(bytes) })
      if (this.unanswered > 0) {
        this.unanswered--
        throw new EngineUnavailable()
      }
      await this.#reach()
      return revision
    },
    list: async prefix => {
      await this.#reach()
      return Array.from(this.cluster.registers.values()).filter(({ key }) => key.startsWith(prefix))
    }
  }

  constructor(
    private readonly cluster: MemoryCluster,
    readonly maxBytes = 8 * 1024 * 1024
  ) {}

  async append(subject: string, expected: number, bytes: Uint8Array): Promise<number> {
    if (bytes.length > this.maxBytes) throw new RangeError('A record that is too long')
    await this.#reach(subject)
    const entries = this.cluster.logs.get(subject) ?? []
    if ((entries.at(-1)?.sequence ?? 0) !== expected) throw new Conflict(subject)
    const entry = { subject, sequence: ++this.cluster.last, bytes: Buffer.from(bytes) }
    this.cluster.logs.set(subject, [...entries, entry])
    await this.#reach()
    return entry.sequence
  }

  async last(subject: string): Promise<Entry | undefined> {
    await this.#reach(subject)
    return this.cluster.logs.get(subject)?.at(-1)
  }

  async read(subject: string, from: number, limit: number): Promise<Entry[]> {
    await this.#reach()
    const entries = this.cluster.logs.get(subject) ?? []
    return entries.filter(({ sequence }) => sequence >= from).slice(0, limit)
  }

  async trim(subject: string, before: number): Promise<void> {
    await this.#reach()
    const entries = this.cluster.logs.get(subject) ?? []
    const kept = entries.filter((entry, index) => entry.sequence >= before || index === entries.length - 1)
    this.cluster.logs.set(subject, kept)
  }

  async send(node: string, message: Uint8Array, _timeoutMs: number): Promise<Uint8Array> {
    await this.#reach()
    if (message.length > this.maxBytes) throw new RangeError('A message that is too long')
    const answering = this.cluster.answering.get(node)
    if (!answering || this.#loses('before')) throw new EngineUnavailable()
    const answer = await answering(Buffer.from(message)).catch((cause: unknown) => {
      throw new EngineUnavailable(cause)
    })
    await this.#reach()
    if (this.#loses('after')) throw new EngineUnavailable()
    return answer
  }

  handle(node: string, answering: MessageHandler): () => void {
    const reached: MessageHandler = async message => {
      await this.#reach()
      return await answering(message)
    }
    this.cluster.answering.set(node, reached)
    this.#answering.add(node)
    return () => {
      if (this.cluster.answering.get(node) === reached) this.cluster.answering.delete(node)
    }
  }

  announce(topic: string, message: Uint8Array): void {
    if (this.isCutOff) return
    for (const { hearing, isCutOff } of this.cluster.engines)
      if (!isCutOff)
        for (const each of hearing)
          if (each.topic === topic) queueMicrotask(() => each.hearing(Buffer.from(message)))
  }

  subscribe(topic: string, hearing: (message: Uint8Array) => void): () => void {
    const heard = { topic, hearing }
    this.hearing.add(heard)
    return () => this.hearing.delete(heard)
  }

  async close(): Promise<void> {
    this.isCutOff = true
    for (const node of this.#answering) this.cluster.answering.delete(node)
    await Promise.resolve()
  }

  #loses(when: 'after' | 'before'): boolean {
    if (this.lost[when] === 0) return false
    this.lost[when]--
    return true
  }

  async #reach(subject?: string): Promise<void> {
    await new Promise(resolve => setImmediate(resolve))
    if (this.isCutOff || (subject !== undefined && this.silent.has(subject))) throw new EngineUnavailable()
  }
}
