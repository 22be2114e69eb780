/** The names of files as they are stored. (docs/spec/attachments.md#attachment-object) */
import { maxNameLength } from '../../schemas/scalars.js'
import { truncateText } from '../truncate-text.js'

/**
 * Returns a name, as others have given it, without its path, control characters, and those that reverse the direction of a text: they make
 * `gpj.exe` look like `exe.jpg`. `file` if nothing is left. Truncated to the length that names may have.
 */
export function toFileName(name: string): string {
  const base = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1)
  const plain = base.replaceAll(/\p{Bidi_Control}/gu, '').replaceAll(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/gu, ' ')
  return /^[\s.]*$/.test(plain) ? 'file' : truncateText(plain, maxNameLength)
}
