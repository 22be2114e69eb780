/**
 * Pictures made smaller by sharp, which is optional: it is loaded when the first preview is asked for, and without it
 * everything else works. It decodes on threads of its own. (docs/spec/previews.md#reading)
 */
import { ApiError } from '../core/errors.js'
import { unreadable, type PictureRenderer } from '../core/previews/renderer.js'
import type { Settings } from '../core/settings/settings.js'
import { hasManyParts } from './picture-parts.js'

/** What is used of sharp. Its own types are missing where it is. */
interface Sharp {
  metadata(): Promise<{ autoOrient: { width: number; height: number } }>
  resize(options: { width: number; height: number; fit: 'fill' }): Sharp
  flatten(options: { background: string }): Sharp
  jpeg(options: { progressive: boolean; quality: number }): Sharp
  timeout(options: { seconds: number }): Sharp
  toBuffer(): Promise<Buffer>
}
interface SharpModule {
  (picture: Buffer, options: { autoOrient: boolean; limitInputPixels: number; failOn: string }): Sharp
  cache(isOn: boolean): void
  concurrency(threads: number): void
  block(options: { operation: string[] }): void
  unblock(options: { operation: string[] }): void
}

/** Formats of pictures that cameras and screens make. Others are never even looked at. */
const loaders = ['Jpeg', 'Png', 'Nsgif', 'Webp', 'Tiff', 'Heif']
/** Seconds that a picture may take. */
const patience = 30
const quality = 80

/** A renderer of pictures up to so many pixels. */
export function createRenderer({ maxPixels }: Settings['previews']): PictureRenderer {
  let library: Promise<SharpModule> | undefined
  // Truncated pictures are common (a phone ran out of power): what there is of them is shown.
  const options = { autoOrient: true, limitInputPixels: maxPixels, failOn: 'none' }
  return {
    measure: async picture => {
      mustHaveFewParts(picture)
      const sharp = await (library ??= load())
      return await reading(async () => (await sharp(picture, options).metadata()).autoOrient)
    },
    render: async (picture, sizeOf) => {
      mustHaveFewParts(picture)
      const sharp = await (library ??= load())
      return await reading(async () => {
        const opened = sharp(picture, options)
        const size = sizeOf((await opened.metadata()).autoOrient)
        return await opened
          .resize({ ...size, fit: 'fill' })
          .flatten({ background: '#ffffff' })
          .jpeg({ progressive: true, quality })
          .timeout({ seconds: patience })
          .toBuffer()
      })
    }
  }
}

function mustHaveFewParts(picture: Buffer): void {
  if (hasManyParts(picture)) throw unreadable('The picture has too many scans, frames or pages for a preview')
}

/** Whatever goes wrong in there is the picture's fault. */
async function reading<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    throw unreadable('The file is not a picture that a preview can be made of', cause)
  }
}

async function load(): Promise<SharpModule> {
  try {
    // Not a literal: the build must do without the package too.
    const name: string = 'sharp'
    const { default: sharp } = (await import(name)) as { default: SharpModule }
    // Memory that is kept for the next picture would be held for as long as the service runs.
    sharp.cache(false)
    sharp.concurrency(1)
    sharp.block({ operation: ['VipsForeignLoad'] })
    sharp.unblock({ operation: loaders.map(format => `VipsForeignLoad${format}`) })
    return sharp
  } catch (cause) {
    throw new ApiError(
      'api-unavailable',
      'This service makes no previews: the optional package "sharp" is not installed',
      { cause }
    )
  }
}
