/**
 * Scales pictures down in processes of their own, which are started on demand and end when idle.
 * (docs/spec/previews.md#reading)
 */
import { ApiError } from '../../core/errors.js'
import { createUnreadableError, type PictureRenderer } from '../../core/previews/renderer.js'
import type { Frame, Size } from '../../core/previews/sizes.js'
import type { Settings } from '../../core/settings/settings.js'
import { NoPictureProcess, PictureProcess, PictureTooCostly } from './picture-process.js'
import type { Refusal, Result } from './protocol.js'

/** Time limit for a picture, in seconds. */
const defaultSeconds = 30
/** Seconds after which an idle process ends. */
const idleSeconds = 20
/** Seconds after which somebody for whom there was no process may try again. */
const retryAfter = 5

type Pieces = AsyncIterable<Uint8Array>

/** Starts processes on demand only. */
export class PictureProcesses implements PictureRenderer {
  readonly #all = new Set<PictureProcess>()
  readonly #idle = new Map<PictureProcess, NodeJS.Timeout>()

  /** `seconds`: time limit for a picture. */
  constructor(
    private readonly limits: Pick<Settings['previews'], 'maxMemory' | 'maxPixels'>,
    private readonly seconds = defaultSeconds
  ) {}

  async measure(picture: Pieces): Promise<Size> {
    const result = await this.#decode(picture)
    return 'size' in result ? result.size : refused(result)
  }

  async render(picture: Pieces, frame: Frame): Promise<Buffer> {
    const result = await this.#decode(picture, frame)
    return 'preview' in result ? Buffer.from(result.preview) : refused(result)
  }

  close(): void {
    for (const one of this.#all) this.#end(one)
  }

  async #decode(picture: Pieces, frame?: Frame): Promise<Result> {
    try {
      return await this.#decodeBy(this.#take(), picture, frame)
    } catch (cause) {
      if (cause instanceof PictureTooCostly)
        throw createUnreadableError('The image needs too much memory or time for a preview', cause)
      if (cause instanceof NoPictureProcess)
        throw new ApiError('api-unavailable', 'Previews are temporarily unavailable. Try again later', {
          retryAfter,
          cause
        })
      throw cause
    }
  }

  async #decodeBy(one: PictureProcess, picture: Pieces, frame?: Frame): Promise<Result> {
    try {
      return await one.decode(picture, frame, this.seconds)
    } finally {
      if (one.isFit) this.#rest(one)
      else this.#end(one)
    }
  }

  #take(): PictureProcess {
    for (const [one, timer] of this.#idle) {
      clearTimeout(timer)
      this.#idle.delete(one)
      if (one.isFit) return one
      this.#end(one)
    }
    const { maxMemory, maxPixels } = this.limits
    const started = new PictureProcess({ maxMemory, maxPixels })
    this.#all.add(started)
    return started
  }

  #rest(one: PictureProcess): void {
    this.#idle.set(one, setTimeout(() => this.#end(one), idleSeconds * 1000).unref())
  }

  #end(one: PictureProcess): void {
    clearTimeout(this.#idle.get(one))
    this.#idle.delete(one)
    this.#all.delete(one)
    one.kill()
  }
}

function refused(result: Result): never {
  const { cause, refusal } = result as Refusal
  if (refusal === 'missing')
    throw new ApiError(
      'api-unavailable',
      'Previews are not available, because the optional package "sharp" is not installed'
    )
  if (refusal === 'many-parts')
    throw createUnreadableError('The image has too many scans, frames or pages for a preview')
  throw createUnreadableError('The file is not an image that a preview can be made of', cause)
}
