/**
 * Scales pictures down in separate processes, which are started on demand and end when idle.
 * (docs/spec/previews.md#reading)
 */
import { ApiError } from '../../core/errors.js'
import {
  createUnreadableError,
  type PictureRenderer,
  type Frame,
  type Size
} from '../../core/previews/renderer.js'
import type { Settings } from '../../core/settings/settings.js'
import { PictureProcessUnavailable, PictureProcess, PictureTooCostly } from './picture-process.js'
import type { DecoderRefusal, DecoderResult } from './protocol.js'

/** Time limit for a picture, in seconds. */
const defaultTimeoutSeconds = 30
/** Seconds after which an idle process ends. */
const idleSeconds = 20
/** Seconds after which clients may retry when no process could be started. */
const retryAfter = 5

type Chunks = AsyncIterable<Uint8Array>

/** Starts processes on demand only. */
export class PictureProcesses implements PictureRenderer {
  readonly #all = new Set<PictureProcess>()
  readonly #idle = new Map<PictureProcess, NodeJS.Timeout>()

  constructor(
    private readonly limits: Pick<Settings['previews'], 'maxMemory' | 'maxPixels'>,
    private readonly timeoutSeconds = defaultTimeoutSeconds
  ) {}

  async measure(picture: Chunks): Promise<Size> {
    const result = await this.#decode(picture)
    return 'size' in result ? result.size : throwRefusal(result)
  }

  async render(picture: Chunks, frame: Frame): Promise<Buffer> {
    const result = await this.#decode(picture, frame)
    return 'preview' in result ? Buffer.from(result.preview) : throwRefusal(result)
  }

  close(): void {
    for (const process of this.#all) this.#end(process)
  }

  /**
   * Decodes a picture in another process. Rejects with an error for the caller if that is too costly or impossible at
   * present.
   */
  async #decode(picture: Chunks, frame?: Frame): Promise<DecoderResult> {
    try {
      return await this.#decodeWith(this.#takeProcess(), picture, frame)
    } catch (cause) {
      if (cause instanceof PictureTooCostly)
        throw createUnreadableError('The image needs too much memory or time for a preview', cause)
      if (cause instanceof PictureProcessUnavailable)
        throw new ApiError('api-unavailable', 'Previews are temporarily unavailable. Try again later', {
          retryAfter,
          cause
        })
      throw cause
    }
  }

  async #decodeWith(process: PictureProcess, picture: Chunks, frame?: Frame): Promise<DecoderResult> {
    try {
      return await process.decode(picture, frame, this.timeoutSeconds)
    } finally {
      if (process.isReusable) this.#keepIdle(process)
      else this.#end(process)
    }
  }

  #takeProcess(): PictureProcess {
    for (const [process, timer] of this.#idle) {
      clearTimeout(timer)
      this.#idle.delete(process)
      if (process.isReusable) return process
      this.#end(process)
    }
    const { maxMemory, maxPixels } = this.limits
    const started = new PictureProcess({ maxMemory, maxPixels })
    this.#all.add(started)
    return started
  }

  #keepIdle(process: PictureProcess): void {
    this.#idle.set(process, setTimeout(() => this.#end(process), idleSeconds * 1000).unref())
  }

  #end(process: PictureProcess): void {
    clearTimeout(this.#idle.get(process))
    this.#idle.delete(process)
    this.#all.delete(process)
    process.kill()
  }
}

function throwRefusal(result: DecoderResult): never {
  const { cause, refusal } = result as DecoderRefusal
  if (refusal === 'missing')
    throw new ApiError(
      'api-unavailable',
      'Previews are not available, because the optional package "sharp" is not installed'
    )
  if (refusal === 'many-parts')
    throw createUnreadableError('The image has too many scans, frames or pages for a preview')
  throw createUnreadableError('The file is not an image that a preview can be made of', cause)
}
