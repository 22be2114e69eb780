/** Serves the operator's map: a file of vector tiles, of which the app reads ranges to draw places. (docs/deployment.md#a-map) */
import { open, type FileHandle } from 'node:fs/promises'
import type { Router } from '@koa/router'
import type { Config } from '../../../core/settings/config.js'
import { fail } from '../../../core/errors.js'
import { describeFileError, SettingsError } from '../../../core/settings/load.js'
import { isOwnPage } from '../../page-sessions.js'
import type { ExchangeState } from '../exchange.js'

/** Longest range that is sent, in bytes. Tiles and directories are much shorter. */
const maxRangeBytes = 2 ** 20
/** The bytes at the start of the file, followed by the version. */
const magic = 'PMTiles'
const supportedVersion = 3
const headerBytes = 127

/** A file of tiles. While the file is open, its content stays the same, even if the operator replaces the file. */
export class MapFile {
  private constructor(
    private readonly file: FileHandle,
    readonly size: number
  ) {}

  /** Opens a file. Rejects with a `SettingsError` if there is no PMTiles file of version 3 at this path. */
  static async open(path: string): Promise<MapFile> {
    let file: FileHandle | undefined
    try {
      file = await open(path, 'r')
      const { size } = await file.stat()
      const { buffer } = await file.read(Buffer.alloc(headerBytes), 0, headerBytes, 0)
      if (buffer.toString('latin1', 0, magic.length) !== magic || buffer[magic.length] !== supportedVersion)
        throw new Error(`it is not a PMTiles file of version ${supportedVersion}`)
      return new MapFile(file, size)
    } catch (error) {
      await file?.close()
      const { code, message } = error as NodeJS.ErrnoException
      throw new SettingsError([
        `app.mapFile: ${JSON.stringify(path)} cannot be read: ${describeFileError(code, message)}`
      ])
    }
  }

  /** Closes the file. Reads fail afterwards. */
  async close(): Promise<void> {
    await this.file.close()
  }

  /** Returns the bytes from `start` to `end`, both inclusive; fewer at the end of the file. */
  async read(start: number, end: number): Promise<Buffer> {
    const length = end - start + 1
    const { buffer, bytesRead } = await this.file.read(Buffer.allocUnsafe(length), 0, length, start)
    return buffer.subarray(0, bytesRead)
  }
}

/**
 * Adds the route of the map. It serves only ranges, cut at a maximal size, and only to the service's own
 * pages.
 */
export function addMapRoute(router: Router<ExchangeState>, config: Config, map: MapFile): void {
  router.get('/app/map.pmtiles', async ctx => {
    if (!isOwnPage(ctx.headers, config))
      fail('forbidden', "The map is only available to the service's own pages")
    const [, first, last] = /^bytes=(\d{1,15})-(\d{1,15})$/.exec(ctx.get('Range')) ?? []
    if (first === undefined || Number(last) < Number(first))
      fail('invalid-parameters-format', 'Request a range of bytes, such as "Range: bytes=0-16383"')
    const start = Number(first)
    const end = Math.min(Number(last), start + maxRangeBytes - 1, map.size - 1)
    // The ranges reveal where a user was, so they are not cached.
    ctx.set('Cache-Control', 'no-store')
    ctx.set('X-Content-Type-Options', 'nosniff')
    ctx.set('Content-Range', start < map.size ? `bytes ${start}-${end}/${map.size}` : `bytes */${map.size}`)
    ctx.status = start < map.size ? 206 : 416
    ctx.type = 'application/octet-stream'
    ctx.body = start < map.size ? await map.read(start, end) : ''
  })
}
