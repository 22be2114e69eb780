/** `connections.preview`: shows what a mapping makes of waiting bodies. (docs/api/connections.md#any-json) */
import { Type } from 'typebox'
import { ReceivedMappings } from '../../../schemas/received-mapping.js'
import { closed, Identifier } from '../../../schemas/scalars.js'
import { personalOnly } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { requireConnection, requireDialect } from '../../connections/connection.js'
import { checkMapping } from '../../connections/mapping.js'
import { MappingPreview, previewMapping } from '../../connections/preview-mapping.js'

/** Returns what a mapping makes of the first items of each waiting body. Stores nothing. */
export const preview = method({
  id: 'connections.preview',
  summary: 'Preview a mapping',
  params: Type.Object({ id: Identifier, mapping: ReceivedMappings }, closed),
  result: MappingPreview,
  mode: 'read',
  allow: personalOnly,
  run(call, { id, mapping }) {
    const stored = requireConnection(call, id)
    const dialect = requireDialect(call, stored.connection.dialect)
    checkMapping(call, dialect, mapping, '#/mapping')
    return previewMapping(call, dialect, stored, mapping)
  }
})
