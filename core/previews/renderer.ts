/** How pictures are made smaller, as a port: the library for it is optional. */
import { ApiError } from '../errors.js'
import type { Size } from './sizes.js'

/** Both raise {@link unreadable} for what is not a picture, and `api-unavailable` where pictures cannot be handled. */
export interface PictureRenderer {
  /** The size of a picture as it is looked at, after its orientation has been applied. */
  measure(picture: Buffer): Promise<Size>
  /** The picture as a progressive JPEG without metadata, in the size that `sizeOf` makes of its own. */
  render(picture: Buffer, sizeOf: (picture: Size) => Size): Promise<Buffer>
}

/** The error for a picture that no preview can be made of. (docs/spec/previews.md#reading) */
export function unreadable(message: string, cause?: unknown): ApiError {
  return new ApiError('corrupted-data', message, { status: 422, ...(cause === undefined ? {} : { cause }) })
}
