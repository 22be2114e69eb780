/** Exports events in formats of other programs: tables, GPX, FHIR, Parquet. (docs/api/exports.md) */
import { Type, type Static } from 'typebox'
import { closed, orNull } from '../../../schemas/scalars.js'
import { listAuditEvents, includesAudit } from '../../audit/events.js'
import { describeQueryScope } from '../../audit/read-scope.js'
import { anyAccess } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { fail } from '../../errors.js'
import { selectEvents, selectionParams, withoutSecrets } from '../../events/selection.js'
import { assertColumns } from '../../exports/csv-wide.js'
import { Export, formats, type FormatName } from '../../exports/export.js'
import type { ExportFormat } from '../../exports/format.js'
import { concatLists } from '../../json/json-text.js'
import { refuseParams } from '../../validation/params.js'
import { assertZone } from '../../validation/zones.js'
import { omitNulls, type WithoutNulls } from '../../validation/omit-nulls.js'

const Params = Type.Object(
  {
    format: Type.Enum(Object.keys(formats) as FormatName[]),
    ...selectionParams,
    /** Name of a time zone; UTC unless given. */
    zone: orNull(Type.String({ maxLength: 64 })),
    series: orNull(Type.Boolean()),
    columns: orNull(Type.Array(Type.String({ maxLength: 300 }), { minItems: 1, maxItems: 200 })),
    titles: orNull(Type.Array(Type.String({ maxLength: 300 }), { minItems: 1, maxItems: 200 })),
    bom: orNull(Type.Boolean()),
    /** The token, if it is sent as a parameter; it has been read before. */
    auth: Type.Optional(Type.String())
  },
  closed
)
type Params = WithoutNulls<Static<typeof Params>>

/**
 * Exports all events that match, without limit by default; audit records too if their streams are requested.
 * Shared secrets and credentials are omitted. Refuses options that the format does not support.
 */
export const exportEvents = method({
  id: 'events.export',
  summary: 'Export events as a table, GPX, FHIR or Parquet',
  params: Params,
  result: Type.Object({
    export: Type.Object({
      mediaType: Type.String(),
      fileName: Type.String(),
      text: Type.Optional(Type.String()),
      /** The bytes of a format that is not text; replaces `text`. */
      base64: Type.Optional(Type.String())
    })
  }),
  mode: 'read',
  allow: anyAccess,
  facts({ export: document }: { export: Export }) {
    document.isDocument = true
    const { fileName, isBinary, mediaType } = document
    return { document: { fileName, isBinary, mediaType } }
  },
  run(call, all) {
    const { format, ...params } = omitNulls(all)
    const exportFormat: ExportFormat = formats[format]
    assertFormatSupports(params, exportFormat, format)
    const limit = params.limit ?? Infinity
    const { events: own, query } = selectEvents(withoutSecrets(call), params, limit)
    call.auditScope = describeQueryScope(call.caller, params.streams, query)
    const events = includesAudit(params.streams)
      ? concatLists([own, listAuditEvents(call, { ...params, limit })])
      : own
    return { export: new Export(call, exportFormat, params, events) }
  }
})

/**
 * Throws `invalid-parameters-format` for options that the format does not support, `invalid-operation` for
 * audit records that it cannot hold.
 */
function assertFormatSupports(
  params: Omit<Params, 'format'>,
  exportFormat: ExportFormat,
  format: FormatName
): void {
  const { bom, columns, limit, series, skip, streams, titles, zone } = params
  assertZone(zone, '#/zone')
  if (series === true && !exportFormat.supportsSeries)
    refuseParam('series', `cannot be used with the format "${format}"`)
  if (bom === true && !format.startsWith('csv'))
    refuseParam('bom', `cannot be used with the format "${format}"`)
  if (exportFormat.hasFixedOrder && (skip !== undefined || limit !== undefined))
    refuseParam(
      skip === undefined ? 'limit' : 'skip',
      `cannot be used with the format "${format}", which has a fixed order`
    )
  if ((columns || titles) && format !== 'csv-wide')
    refuseParam(columns ? 'columns' : 'titles', `cannot be used with the format "${format}"`)
  assertColumns(params)
  if (!exportFormat.supportsAudit && includesAudit(streams))
    fail('invalid-operation', `Audit records cannot be exported in the format "${format}"`)
}

function refuseParam(name: string, message: string): never {
  refuseParams([{ code: 'INVALID_TYPE', message, path: `#/${name}` }])
}
