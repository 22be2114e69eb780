/** The columns of the table: those of all events, and those of the contents of one type. */
import { getLocale, t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { toPointType, formatQuantity, getUnit } from '../data/units.js'
import type { ContentSchema, Event } from '../data/model.js'
import type { Tree } from '../data/tree.js'
import { formatDuration } from '../parts/format-duration.js'
import { formatDateTime } from '../parts/format-time.js'

export interface Column {
  readonly key: string
  readonly title: string
  /** Formats the cell of an event. */
  readonly text: (event: Event) => string
  readonly isNumber?: boolean
}

/** Returns the name of a column in exports. */
export function getExportName({ key }: Column): string {
  return key === 'stream' ? 'streams' : key === 'files' ? 'attachments' : key
}

/**
 * Returns the columns for these events. `schema` is that of the contents if only one type is shown: objects get a column per
 * field. Optional columns are omitted if no event has a value; without `events`, all are included.
 */
export function createColumns(
  tree: Tree | undefined,
  type: string | undefined,
  schema: ContentSchema | undefined,
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
    ...(type === undefined
      ? [{ key: 'type', title: t('table.type'), text: ({ type: own }: Event) => own }]
      : []),
    ...(fields.length > 0
      ? fields.map(name => createFieldColumn(name, schema!))
      : [createContentColumn(type)]),
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
  const optional = new Set(['duration', 'description', 'files'])
  return all.filter(
    ({ key, text }) => !events || !optional.has(key) || events.some(event => text(event) !== '')
  )
}

/** Returns the field names of an object content. */
export function listFields(schema: ContentSchema | undefined): string[] {
  return Object.keys(schema?.properties ?? {})
}

function createContentColumn(type: string | undefined): Column {
  const symbol = type === undefined ? undefined : getUnit(type)?.symbol
  return {
    key: 'content',
    title: t('table.content'),
    text: ({ content, type: own }) => formatContent(own, content),
    isNumber: symbol !== undefined
  }
}

function createFieldColumn(name: string, schema: ContentSchema): Column {
  const { description, type } = schema.properties![name]!
  const isNumber = type === 'number'
  const value = ({ content }: Event): unknown =>
    (content as Record<string, unknown> | null | undefined)?.[name]
  return {
    key: `content.${name}`,
    title:
      isNumber && description !== undefined && description.length < 12 ? `${name} (${description})` : name,
    text: event => formatScalar(value(event)),
    isNumber
  }
}

/** Formats a content in one line. */
function formatContent(type: string, content: unknown): string {
  if (typeof content === 'number') {
    const { value, unit } = formatQuantity(toPointType(type), content)
    return unit === '' ? value : `${value} ${unit}`
  }
  if (typeof content !== 'object' || content === null) return formatScalar(content)
  return Object.entries(content)
    .map(([name, value]) => `${name} ${formatScalar(value)}`)
    .join(', ')
    .slice(0, maxCharacters)
}

/** Maximum characters of a cell. */
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
