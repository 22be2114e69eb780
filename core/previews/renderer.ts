/** The interface of what renders previews. The library that does it is optional. */
import { ApiError } from '../errors.js'
import type { Frame, Size } from './sizes.js'

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
