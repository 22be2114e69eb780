/** Messages between the service and a process that decodes pictures. */
import type { Frame, Size } from '../../core/previews/renderer.js'

/** A request: a chunk of the picture or, after the last chunk, the requested frame. */
export type DecoderRequest = { readonly chunk: Uint8Array } | { readonly frame: Frame | undefined }

/** A result: the picture scaled into that frame, its size if no frame was given, or the reason for neither. */
export type DecoderResult = { readonly preview: Uint8Array } | { readonly size: Size } | DecoderRefusal

/** A reply: the result, and the memory that the process now uses, in bytes. */
export interface DecoderReply {
  readonly result: DecoderResult
  readonly memory: number
}

export interface DecoderRefusal {
  /** `missing`: the library is not installed. All others concern the picture. */
  readonly refusal: 'missing' | 'many-parts' | 'unreadable'
  /** The library's error message. */
  readonly cause?: string
}

/** Limits of a process. */
export interface DecoderLimits {
  readonly maxPixels: number
  /** Memory, in bytes. */
  readonly maxMemory: number
}
