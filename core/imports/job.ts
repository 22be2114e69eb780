/** An import as it is stored, and as the API returns it. (docs/api/imports.md) */
import { Type, type Static } from 'typebox'
import type { Notice } from '../../imports/messages.js'
import type { Counts, ImportReview } from '../../imports/protocol.js'
import type { ReadOptions } from '../../imports/record.js'
import type { ImportRow } from '../../storage/imports/import-repository.js'
import type { UserStore } from '../../storage/user/user-store.js'
import { fail } from '../errors.js'
import { closed, Identifier } from '../../schemas/scalars.js'
import type { ImportProgress } from '../call/imports.js'
import { LaneChoiceSchema } from './lane-choices.js'

/**
 * `looking`: the file is being read, nothing is written; `looked`: ready for `imports.run`; `unreadable`: nothing can be imported;
 * `writing`; `written`; `cancelled` and `failed`: parts may have been written; `removing`: the import is being undone.
 */
export const importStates = [
  'looking',
  'looked',
  'unreadable',
  'writing',
  'written',
  'cancelled',
  'failed',
  'removing'
] as const
export type ImportState = (typeof importStates)[number]

/** The results for the records of a file. */
export interface Tally {
  /** By type. */
  readonly broughtIn: Counts
  /** Number of records of each type that existed before. */
  readonly known: Counts
  /** By reason. */
  readonly leftOut: Counts
}

/** Maximum number of imports of one account that are neither written nor unreadable. */
export const maxOpenImports = 1000

/** The body of a row of the database. */
export interface Job {
  readonly fileName: string
  /** The id under which the file was received. */
  readonly fileId: string
  /** Bytes. */
  readonly size: number
  readonly created: number
  readonly createdBy: string
  /** The access with whose permissions it writes. */
  readonly accessId: string
  readonly callerId?: string | undefined
  /** The app that uploaded the file, see `memory.ts`; absent if the user did. */
  readonly app?: string | undefined
  /** The stream below which everything is imported. */
  readonly parentId: string | null
  readonly options: ReadOptions
  /** Number of times that writing has begun. */
  readonly attempt: number
  /** Streams that it created, parents first. */
  readonly streams: readonly string[]
  readonly look?: Omit<ImportReview, 'leftOut'>
  /** After `looked`: the expected results; after `written`: the actual ones. */
  readonly tally?: Tally
  /** Why the import has stopped. */
  readonly message?: string
  /** The same as `message`, for translation; `errorId` is set instead for an error of the API. */
  readonly notice?: Notice
  readonly errorId?: string
  /** Duration of writing in seconds. */
  readonly seconds?: number
}

/** A job with the other columns of its row. */
export interface StoredJob extends Job {
  readonly number: number
  readonly id: string
  readonly state: ImportState
}

const counts = Type.Record(Type.String(), Type.Integer({ minimum: 0 }))

const ColumnMapping = Type.Object(
  {
    column: Type.Integer({ minimum: 0, maximum: 10_000 }),
    type: Type.String({ pattern: '^[a-z0-9-]+/[a-z0-9-]+$', maxLength: 200 }),
    stream: Type.String({ minLength: 1, maxLength: 100 }),
    field: Type.Optional(Type.String({ maxLength: 100 })),
    factor: Type.Optional(Type.Number()),
    skipsZero: Type.Optional(Type.Boolean()),
    codes: Type.Optional(
      Type.Record(
        Type.String({ maxLength: 100 }),
        Type.Union([
          Type.Number(),
          Type.Boolean(),
          Type.String({ maxLength: 1000 }),
          Type.Record(Type.String({ maxLength: 100 }), Type.String({ maxLength: 1000 }), {
            maxProperties: 10
          })
        ]),
        { maxProperties: 100 }
      )
    )
  },
  closed
)

const column = Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000 }))

export const Mapping = Type.Object(
  {
    time: Type.Integer({ minimum: 0, maximum: 10_000 }),
    clock: column,
    end: column,
    endFactor: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
    source: column,
    description: column,
    zone: Type.Optional(Type.String({ maxLength: 60 })),
    zoneColumn: column,
    dates: Type.Optional(Type.Enum(['dmy', 'mdy', 'ymd'])),
    decimals: Type.Optional(Type.Enum(['comma', 'point'])),
    values: Type.Array(ColumnMapping, { minItems: 1, maxItems: 100 })
  },
  closed
)

const bound = Type.Union([Type.Number(), Type.Record(Type.String(), Type.Number())])
const contentSample = {
  example: Type.Optional(Type.Unknown()),
  min: Type.Optional(bound),
  max: Type.Optional(bound)
}

const Lane = Type.Object({
  key: Type.String(),
  format: Type.String(),
  stream: Type.String(),
  source: Type.String(),
  type: Type.String(),
  form: Type.Enum(['series', 'events']),
  count: Type.Integer({ minimum: 0 }),
  from: Type.Number(),
  to: Type.Number(),
  // Absent in reviews of earlier versions.
  path: Type.Optional(Type.Array(Type.Object({ id: Type.String(), name: Type.String() }))),
  choice: Type.Optional(LaneChoiceSchema),
  measure: Type.Optional(Type.String()),
  ...contentSample
})

const CountedLane = Type.Object({
  key: Type.String(),
  format: Type.String(),
  stream: Type.String(),
  path: Type.Optional(Type.Array(Type.String())),
  marks: Type.Optional(Type.Array(Type.Union([Type.String(), Type.Null()]))),
  source: Type.String(),
  type: Type.String(),
  mayBeSeries: Type.Boolean(),
  isTrack: Type.Boolean(),
  description: Type.Optional(Type.String()),
  count: Type.Integer({ minimum: 0 }),
  from: Type.Number(),
  to: Type.Number(),
  ...contentSample
})

const Question = Type.Object({
  column: Type.Integer({ minimum: 0 }),
  asks: Type.Enum(['dates', 'decimals']),
  cells: Type.Array(Type.String()),
  readings: Type.Record(Type.String(), Type.Array(Type.Number()))
})

const Table = Type.Object({
  header: Type.String(),
  columns: Type.Array(Type.String()),
  sample: Type.Array(Type.Array(Type.String())),
  mapping: Type.Optional(Type.Unknown()),
  questions: Type.Optional(Type.Array(Question))
})

/** A message about a file: an English sentence with placeholders in braces. */
const NoticeView = Type.Object({
  message: Type.String(),
  /** Texts, numbers, and further notices, by name. */
  values: Type.Optional(Type.Record(Type.String(), Type.Unknown()))
})

/** An import as the API returns it. */
export const Import = Type.Object({
  id: Identifier,
  state: Type.Enum([...importStates]),
  fileName: Type.String(),
  size: Type.Integer({ minimum: 0 }),
  created: Type.Number(),
  createdBy: Type.String(),
  parentId: Type.Union([Type.String(), Type.Null()]),
  zone: Type.Optional(Type.String()),
  message: Type.Optional(Type.String()),
  notice: Type.Optional(NoticeView),
  errorId: Type.Optional(Type.String()),
  seconds: Type.Optional(Type.Number()),
  progress: Type.Optional(Type.Object({ pass: Type.Integer(), done: Type.Number(), total: Type.Number() })),
  look: Type.Optional(
    Type.Object({
      format: Type.String(),
      formatName: Type.String(),
      records: counts,
      leftOutKinds: Type.Optional(Type.Record(Type.String(), counts)),
      leftOutRows: Type.Optional(
        Type.Record(Type.String(), Type.Array(Type.Union([Type.Integer({ minimum: 1 }), Type.String()])))
      ),
      sources: counts,
      types: counts,
      from: Type.Union([Type.Number(), Type.Null()]),
      to: Type.Union([Type.Number(), Type.Null()]),
      lanes: Type.Array(Lane),
      warnings: Type.Array(Type.String()),
      notices: Type.Optional(Type.Array(NoticeView)),
      tables: Type.Array(Table)
    })
  ),
  tally: Type.Optional(Type.Object({ broughtIn: counts, known: counts, leftOut: counts }))
})
export type Import = Static<typeof Import>

/** The stored content of a file that was read. (`counted-files.ts`) */
export const StoredCount = Type.Object({
  look: Type.Intersect([Import.properties.look, Type.Object({ leftOut: counts })]),
  lanes: Type.Array(CountedLane)
})

/** The schema of the bodies of rows: these imports can be listed, run again and undone. */
export const StoredJobBody = Type.Object({
  fileName: Type.String({ maxLength: 255 }),
  fileId: Type.String({ pattern: '^c[a-z0-9]{24}$' }),
  size: Type.Integer({ minimum: 0 }),
  created: Type.Number(),
  createdBy: Type.String(),
  accessId: Type.String(),
  callerId: Type.Optional(Type.String()),
  app: Type.Optional(Type.String()),
  parentId: Type.Union([Type.String(), Type.Null()]),
  options: Type.Object(
    {
      zone: Type.Optional(Type.String()),
      mappings: Type.Optional(Type.Record(Type.String(), Mapping))
    },
    closed
  ),
  attempt: Type.Integer({ minimum: 0 }),
  streams: Type.Array(Type.String()),
  look: Import.properties.look,
  tally: Import.properties.tally,
  message: Import.properties.message,
  notice: Import.properties.notice,
  errorId: Import.properties.errorId,
  seconds: Import.properties.seconds
})

/** Parses a row of the database. */
export function parseJob({ body, id, number, state }: ImportRow): StoredJob {
  return { ...(JSON.parse(body) as Job), number, id, state: state as ImportState }
}

/** Returns the import with this id, without checking who may see it. Error: `unknown-resource`. */
export function getJob({ imports }: Pick<UserStore, 'imports'>, id: string): StoredJob {
  return parseJob(imports.find(id) ?? fail('unknown-resource', `No import "${id}"`))
}

/** Saves a job. */
export function saveJob({ imports }: UserStore, { id, number: _number, state, ...body }: StoredJob): void {
  imports.update(id, state, JSON.stringify(body))
}

/** Converts a job to what the API returns. */
export function toPublicImport(job: StoredJob, progress: ImportProgress | undefined): Import {
  const { created, createdBy, errorId, fileName, id, look, message, notice } = job
  const { options, parentId, seconds, size, state, tally } = job
  return {
    id,
    state,
    fileName,
    size,
    created,
    createdBy,
    parentId,
    ...(options.zone !== undefined && { zone: options.zone }),
    ...(message !== undefined && { message }),
    ...(notice && { notice }),
    ...(errorId !== undefined && { errorId }),
    ...(seconds !== undefined && { seconds }),
    ...(progress && { progress: { ...progress } }),
    ...(look && { look: look as unknown as NonNullable<Import['look']> }),
    ...(tally && { tally })
  }
}
