/** The service's side of one process that decodes pictures, one at a time. */
import { fork, type ChildProcess } from 'node:child_process'
import { setPriority } from 'node:os'
import type { Frame } from '../../core/previews/renderer.js'
import type { DecoderRequest, DecoderLimits, DecoderResult, DecoderReply } from './protocol.js'

/** Decoding has a lower priority than requests; the range is -20 to 19. */
const priority = 10
/** Environment variables for finding libraries. Other variables are not passed on, since they may hold secrets. */
const allowedVariables = [
  'PATH',
  'LD_LIBRARY_PATH',
  'DYLD_LIBRARY_PATH',
  'NODE_OPTIONS',
  'NODE_PATH',
  'SystemRoot'
]

/** The picture has ended the process, by exceeding a limit or by crashing the decoder. */
export class PictureTooCostly extends Error {}

/** The process could not be started, or has exited for a reason other than the picture. */
export class PictureProcessUnavailable extends Error {}

export class PictureProcess {
  readonly #child: ChildProcess
  /** Settles the current request. */
  #settle: ((result: DecoderResult | Error) => void) | undefined
  #error: Error | undefined
  /** Set before the process exits, which takes a moment. */
  #isKilled = false
  /** Memory last reported, in bytes. */
  #memory = 0

  constructor(private readonly limits: DecoderLimits) {
    this.#child = startProcess(limits)
    this.#child.on('message', ({ memory, result }: DecoderReply) => {
      this.#memory = memory
      this.#settle?.(result)
    })
    this.#child.on('error', cause => this.#onEnd(createStartError(cause)))
    this.#child.once('exit', (code, signal) => {
      const message = `An image decoding process exited: ${signal ?? code}`
      this.#onEnd(signal ? new PictureTooCostly(message) : new PictureProcessUnavailable(message))
    })
    this.#lowerPriority()
  }

  /** True if the process can decode another picture. Memory left over from earlier pictures must not count against the next. */
  get isReusable(): boolean {
    return !this.#isKilled && this.#error === undefined && this.#memory < this.limits.maxMemory / 2
  }

  /**
   * Decodes a picture, in `seconds` at most. Rejects with {@link PictureTooCostly}, {@link
   * PictureProcessUnavailable}, or an error of `picture`. After an error or a timeout, the process is killed.
   */
  async decode(
    picture: AsyncIterable<Uint8Array>,
    frame: Frame | undefined,
    seconds: number
  ): Promise<DecoderResult> {
    this.#holdEventLoop(true)
    const timer = setTimeout(() => this.kill(), seconds * 1000)
    try {
      const decoded = this.#awaitResult()
      // Decoding may fail while the picture is still being sent; the error is reported when the result is awaited below.
      decoded.catch(() => undefined)
      for await (const chunk of picture) {
        if (this.#error) break
        await this.#send({ chunk })
      }
      await this.#send({ frame })
      return await decoded
    } catch (error) {
      this.kill()
      throw error
    } finally {
      clearTimeout(timer)
      this.#holdEventLoop(false)
    }
  }

  /** Kills the process, whatever it is doing. */
  kill(): void {
    this.#isKilled = true
    // Without a process the handle may have pid 0, and a signal to that goes to the service's whole process group.
    if (this.#isStarted) this.#child.kill('SIGKILL')
  }

  get #isStarted(): boolean {
    return this.#child.pid !== undefined
  }

  #awaitResult(): Promise<DecoderResult> {
    return new Promise((resolve, reject) => {
      this.#settle = result => (result instanceof Error ? reject(result) : resolve(result))
      if (this.#error) reject(this.#error)
    })
  }

  /** Resolves when the message is sent. If that fails, the process is ending, which the result reports. */
  async #send(ask: DecoderRequest): Promise<void> {
    if (!this.#isStarted) return
    await new Promise<void>(resolve => {
      this.#child.send(ask, error => {
        if (error) this.kill()
        resolve()
      })
    })
  }

  #onEnd(error: Error): void {
    this.#error ??= error
    this.#settle?.(this.#error)
  }

  /** Keeps the service running while a picture is decoded, but not for an idle process. */
  #holdEventLoop(isBusy: boolean): void {
    const { channel } = this.#child
    if (isBusy) {
      this.#child.ref()
      channel?.ref()
    } else {
      this.#child.unref()
      channel?.unref()
    }
  }

  #lowerPriority(): void {
    try {
      if (this.#isStarted) setPriority(this.#child.pid!, priority)
    } catch {
      // The process has exited already, or its priority may not be changed. Decoding works at any priority.
    }
  }
}

/** Throws {@link PictureProcessUnavailable} if starting fails at once; other failures are emitted as `error`. */
function startProcess(limits: DecoderLimits): ChildProcess {
  const env = Object.fromEntries(allowedVariables.map(name => [name, process.env[name]]))
  try {
    return fork(new URL('decoder.js', import.meta.url), [JSON.stringify(limits)], {
      env,
      // The options of the service may name a file of secrets (--env-file) or a port in use (--inspect).
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc']
    })
  } catch (error) {
    throw createStartError(error)
  }
}

function createStartError(cause: unknown): PictureProcessUnavailable {
  return new PictureProcessUnavailable(`An image decoding process could not be started: ${String(cause)}`, {
    cause
  })
}
