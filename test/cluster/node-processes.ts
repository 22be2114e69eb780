/** Nodes as separate processes, which can be killed, frozen and restarted. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'

export interface NodeProcessOptions {
  readonly name: string
  readonly directory: string
  readonly engine: string
  /** The command prefix that runs it in its place. */
  readonly command?: readonly string[]
  /** Its log file: beside its folder by default. */
  readonly log?: string
  /** Additional flags. */
  readonly flags?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
}

const coffer = fileURLToPath(new URL('../../scripts/coffer.cjs', import.meta.url))
const ownEntry = fileURLToPath(new URL('./node-process.js', import.meta.url))

export class NodeProcess {
  url = ''
  #child: ChildProcess | undefined

  constructor(
    t: Test,
    readonly options: NodeProcessOptions
  ) {
    t.teardown(() => this.kill())
  }

  get name(): string {
    return this.options.name
  }

  /** The process id; `undefined` before the first start. */
  get pid(): number | undefined {
    return this.#child?.pid
  }

  get #log(): string {
    return this.options.log ?? `${this.options.directory}.log`
  }

  /** Its log output. */
  get log(): string {
    return readFileSync(this.#log, 'utf8')
  }

  /** Starts it; resolves once it is ready. */
  async start(): Promise<void> {
    const { command: before = [], directory, engine, environment, flags = [], name } = this.options
    const settings = [
      `--dataDir=${directory}`,
      '--port=0',
      `--cluster.node=${name}`,
      `--cluster.engine=${engine}`,
      '--log.format=json',
      // The free space of a test machine's disk should raise no alarm.
      '--alarms.freePercent=0',
      ...flags
    ]
    const entry = environment ? [ownEntry] : [coffer, 'serve']
    const [command, ...args] = [...before, process.execPath, ...entry, ...settings]
    const child = spawn(command!, args, {
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'pipe']
    })
    this.#child = child
    this.url = await new Promise((resolve, reject) => {
      const hear = (chunk: Buffer): void => {
        appendFileSync(this.#log, chunk)
        const [, url] = /serving at (http[^\s"]+)/.exec(chunk.toString()) ?? []
        if (url !== undefined) resolve(url)
      }
      child.stdout.on('data', hear)
      child.stderr.on('data', hear)
      child.once('exit', code =>
        reject(new Error(`${name} has ended with ${code}: ${this.log.slice(-2000)}`))
      )
    })
  }

  /** Kills it, as when its machine dies. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  /** Stops it as an operator does. */
  async stop(): Promise<void> {
    await this.#end('SIGTERM')
  }

  freeze(): void {
    this.#child!.kill('SIGSTOP')
  }

  thaw(): void {
    this.#child!.kill('SIGCONT')
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child
    this.url = ''
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    child.removeAllListeners('exit')
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }
}
