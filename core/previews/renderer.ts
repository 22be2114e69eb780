/** Sizes of previews, and the interface of what renders them. The library that does it is optional. (docs/spec/previews.md#sizes) */
import { ApiError } from '../errors.js'

/**
 * Reads pictures as chunks of bytes. Both methods throw {@link createUnreadableError} for data that is not a picture,
 * or takes too much to decode, `api-unavailable` if pictures are not supported, and the errors of the source.
 */
export interface PictureRenderer {
  /** Returns the size of a picture after its orientation has been applied. */
  measure(picture: AsyncIterable<Uint8Array>): Promise<Size>
  /** Returns the picture as a progressive JPEG without metadata, fitted into a frame. */
  render(picture: AsyncIterable<Uint8Array>, frame: Frame): Promise<Buffer>
  /** Stops work in progress. */
  close(): void
}

/** Creates the error for a picture that cannot be rendered. (docs/spec/previews.md#reading) */
export function createUnreadableError(message: string, cause?: unknown): ApiError {
  return new ApiError('corrupted-data', message, { status: 422, ...(cause === undefined ? {} : { cause }) })
}

/** A size in pixels. */
export interface Size {
  readonly width: number
  readonly height: number
}

/** The size that a caller requests. */
export type RequestedSize = Partial<Size>

/**
 * What a preview is fitted into: a square, or the length of one side in pixels. One name identifies one rendering of a
 * picture.
 */
export type Frame = `${'box' | 'width' | 'height'}-${number}`

const standardSizes = [256, 512, 768, 1024] as const
const maxSize = 1024

/** Returns whether the frame depends on the picture's proportions. */
export function dependsOnAspectRatio({ width, height }: RequestedSize): boolean {
  return width !== undefined && height !== undefined
}

/**
 * Returns the frame for a requested size, for the smallest size if none is; `ratio` is the picture's width
 * divided by its height. The picture covers the requested size, unless that is larger than the largest frame.
 */
export function getFrame({ width, height }: RequestedSize, ratio: number): Frame {
  if (width === undefined && height === undefined) return `box-${standardSizes[0]}`
  if (height === undefined || (width !== undefined && width / height > ratio))
    return `width-${roundUpToStandard(width!)}`
  return `height-${roundUpToStandard(height)}`
}

/** Returns the size of a picture in a frame. */
export function fitInto(frame: Frame, { width, height }: Size): Size {
  const [side, length] = frame.split('-') as [string, string]
  const maxLength = Number(length)
  const scale =
    side === 'box'
      ? Math.min(maxLength / width, maxLength / height)
      : Math.min(maxLength / (side === 'width' ? width : height), maxSize / Math.max(width, height))
  return { width: roundPixels(width * scale), height: roundPixels(height * scale) }
}

/** Rounds a length up to the next greater standard length, even if it is a standard length itself. */
function roundUpToStandard(length: number): number {
  return standardSizes.find(one => length < one) ?? maxSize
}

/** Rounds to whole pixels, one at least. */
function roundPixels(length: number): number {
  return Math.max(1, Math.round(length))
}
