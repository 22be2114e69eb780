/** The columns of the table: those of all events, and those of the contents of one type. */
import { getLocale, t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { formatContent, getChoiceName, getTypeName, isGlucose } from '../data/event-types.js'
import { getUnit, isRating } from '../data/units.js'
import type { ContentSchema, Event } from '../data/model.js'
import type { Tree } from '../data/tree.js'
import { formatDuration } from '../parts/format-duration.js'
import { formatDateTime } from '../parts/format-time.js'
import type { NameKind } from './kinds.js'

export interface Column {
  readonly key: string
  readonly title: string
  /** Formats the cell of an event. */
  readonly text: (event: Event) => string
  readonly isNumber?: boolean
}

/** What the table shows. */
interface Shown {
  /** The only type that is shown, if there is one, and the schema of its contents. */
  readonly type: string | undefined
  readonly schema: ContentSchema | undefined
  readonly nameKind: NameKind
}

/** Returns the name of a column in exports. */
export function getExportName({ key }: Column): string {
  return key === 'stream' ? 'streams' : key === 'files' ? 'attachments' : key
}

/**
 * Returns the columns for these events. `schema` is that of the contents if only one type is shown: objects get a column per
 * field. Columns are omitted if no event has a value; without `events`, all are included.
 */
export function createColumns(
  tree: Tree | undefined,
  { nameKind, schema, type }: Shown,
  events?: readonly Event[]
): Column[] {
  const fields = type === undefined ? [] : listFields(schema)
  const all: Column[] = [
    {
      key: 'time',
      title: t('table.time'),
      text: ({ time }) => formatDateTime(time)
    },
    {
      key: 'stream',
      title: t('table.stream'),
      text: ({ streamIds }) => streamIds.map(id => toPlainText(tree?.find(id)?.name ?? id)).join(', ')
    },
    ...(type === undefined ? [{ key: 'type', title: t('table.type'), text: nameKind }] : []),
    ...(fields.length > 0
      ? fields.map(name => createFieldColumn(name, schema!))
      : [createContentColumn(tree, type)]),
    {
      key: 'duration',
      title: t('table.duration'),
      text: ({ duration }) =>
        duration === null ? t('table.running') : duration === undefined ? '' : formatDuration(duration),
      isNumber: true
    },
    {
      key: 'description',
      title: t('table.note'),
      text: ({ description }) => toPlainText(description ?? '')
    },
    {
      key: 'files',
      title: t('table.files'),
      text: ({ attachments }) => (attachments ?? []).map(({ fileName }) => toPlainText(fileName)).join(', ')
    }
  ]
  return all.filter(({ text }) => !events?.length || events.some(event => text(event) !== ''))
}

/** Returns the field names of an object content. None if the content is no object. */
export function listFields(schema: ContentSchema | undefined): string[] {
  return Object.keys(schema?.properties ?? {})
}

function createContentColumn(tree: Tree | undefined, type: string | undefined): Column {
  return {
    key: 'content',
    title: t('table.content'),
    text: ({ content, streamIds, type: own }) =>
      formatCell(own, content, isGlucose(streamIds.flatMap(id => tree?.getPath(id) ?? []))),
    isNumber: type !== undefined && (getUnit(type) !== undefined || isRating(type))
  }
}

/** Creates the column of a member of the content. */
function createFieldColumn(name: string, schema: ContentSchema): Column {
  const { description, enum: choices, type } = schema.properties![name]!
  const isNumber = type === 'number'
  const value = ({ content }: Event): unknown =>
    (content as Record<string, unknown> | null | undefined)?.[name]
  return {
    key: `content.${name}`,
    title:
      isNumber && description !== undefined && description.length < 12 ? `${name} (${description})` : name,
    text: event => {
      const own = value(event)
      return choices && typeof own === 'string' ? getChoiceName(own) : formatScalar(own)
    },
    isNumber
  }
}

/** Formats a content in one line, as other pages do. Contents that these call by their type only are listed field by field. */
function formatCell(type: string, content: unknown, isOfGlucose: boolean): string {
  if (content === null || content === undefined) return ''
  const text = formatContent(type, content, { isGlucose: isOfGlucose })
  if (typeof content !== 'object' || type.startsWith('series:') || text !== getTypeName(type)) return text
  return Object.entries(content)
    .map(([name, value]) => `${name} ${formatScalar(value)}`)
    .join(', ')
    .slice(0, maxCharacters)
}

/** Maximum number of characters of a cell. */
const maxCharacters = 300

function formatScalar(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number')
    return new Intl.NumberFormat(getLocale(), { maximumFractionDigits: 6 }).format(value)
  if (typeof value === 'boolean') return t(value ? 'data.yes' : 'data.no')
  return toPlainText(
    typeof value === 'string' ? value.slice(0, maxCharacters) : JSON.stringify(value).slice(0, maxCharacters)
  )
}
