/** What a backup holds of each file. */
import { type Static, Type } from 'typebox'
import { closed } from '../../schemas/scalars.js'

/** A file of the backup. */
export const Stored = Type.Object(
  {
    /** Below the backup's folder, with `/`. */
    name: Type.String({ maxLength: 300 }),
    /** Bytes, before encryption. */
    size: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    /** SHA-256 of them. */
    digest: Type.String({ pattern: '^[0-9a-f]{64}$' })
  },
  closed
)
export type Stored = Static<typeof Stored>
