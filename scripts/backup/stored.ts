/** The entry of a file in a backup. */
import { type Static, Type } from 'typebox'
import { closed } from '../../schemas/scalars.js'

export const Stored = Type.Object(
  {
    /** Path below the backup's folder, separated by `/`. */
    name: Type.String({ maxLength: 300 }),
    /** Bytes, before encryption. */
    size: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    /** SHA-256 of the stored bytes, hexadecimal. */
    digest: Type.String({ pattern: '^[0-9a-f]{64}$' })
  },
  closed
)
export type Stored = Static<typeof Stored>
