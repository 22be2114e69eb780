/** How pictures are made smaller, as a port: the library for it is optional. */
import { ApiError } from '../errors.js'
import type { Frame, Size } from './sizes.js'

/**
 * The bytes of a picture come in pieces. Both raise {@link createUnreadableError} for what is not a picture, or one that takes too much
 * to decode, `api-unavailable` where pictures cannot be handled, and what the pieces raise.
 */
export interface PictureRenderer {
  /** The size of a picture as it is looked at, after its orientation has been applied. */
  measure(picture: AsyncIterable<Uint8Array>): Promise<Size>
  /** The picture as a progressive JPEG without metadata, fitted into a frame. */
  render(picture: AsyncIterable<Uint8Array>, frame: Frame): Promise<Buffer>
  /** Gives up what is under way. */
  close(): void
}

/** The error for a picture that no preview can be made of. (docs/spec/previews.md#reading) */
export function createUnreadableError(message: string, cause?: unknown): ApiError {
  return new ApiError('corrupted-data', message, { status: 422, ...(cause === undefined ? {} : { cause }) })
}
