/** The filters of the table: stream, type, text, dates, value range. On phones they are folded, and the active ones listed. */
import { t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { getTypeName } from '../data/event-types.js'
import type { Fact } from '../data/model.js'
import type { Tree } from '../data/tree.js'
import { formatDay } from '../parts/format-time.js'
import { Icon } from '../parts/icon.js'
import { parseDayStart, type Changes, type Filters } from './filters.js'
import { nameTypes } from './kinds.js'

interface Props {
  readonly filters: Filters
  /** Symbol of the unit of the values that are filtered; empty if there is none. */
  readonly unit: string
  readonly facts: readonly Fact[]
  readonly tree: Tree | undefined
  readonly onChange: (changes: Changes) => void
}

/** Renders the filters. `onChange` receives those that change; undefined removes one. */
export function FilterBar({ filters, unit, facts, tree, onChange }: Props) {
  const { streams, type } = filters
  const types = listTypes(facts, tree, streams)
  const isFiltered = Object.keys(filters).some(name => name !== 'sort')
  const set = (name: keyof Filters, value: string): void =>
    onChange({ [name]: value === '' ? undefined : value })
  const renderInput = (
    name: keyof Filters,
    label: string,
    kind: 'text' | 'number' | 'date',
    hint?: string
  ) => (
    <label>
      <span>{label}</span>
      {kind === 'date' ? (
        <input
          key={filters[name] ?? ''}
          type="date"
          defaultValue={filters[name] ?? ''}
          onChange={event => set(name, event.currentTarget.value)}
        />
      ) : (
        <input
          key={filters[name] ?? ''}
          type="text"
          defaultValue={filters[name] ?? ''}
          {...(kind === 'number' ? { inputMode: 'decimal' as const } : {})}
          {...(hint === undefined ? {} : { placeholder: hint })}
          onChange={event => set(name, event.currentTarget.value)}
        />
      )}
    </label>
  )
  const form = (
    // Folded on phones, where they would hide the rows.
    <details class="card filters" open={matchMedia('(min-width: 60rem)').matches}>
      <summary>
        <Icon name="filter" />
        {t('table.filters')}
      </summary>
      <form onSubmit={event => event.preventDefault()}>
        <label>
          <span>{t('table.streams')}</span>
          <select value={streams ?? ''} onChange={event => set('streams', event.currentTarget.value)}>
            <option value="">{t('table.allStreams')}</option>
            {tree?.all.map(({ id, name }) => (
              <option key={id} value={id}>
                {'\u00a0\u00a0'.repeat(tree.getPath(id).length - 1) + toPlainText(name)}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span>{t('table.type')}</span>
          <select value={type ?? ''} onChange={event => set('type', event.currentTarget.value)}>
            <option value="">{t('table.allTypes')}</option>
            {nameTypes([...new Set([...types, ...(type === undefined ? [] : [type])])]).map(each => (
              <option key={each.type} value={each.type}>
                {each.name}
              </option>
            ))}
          </select>
        </label>
        {renderInput('text', t('table.text'), 'text', t('table.textHint'))}
        {renderInput('from', t('table.start'), 'date')}
        {renderInput('to', t('table.end'), 'date')}
        {type !== undefined && renderInput('least', withUnit(t('table.atLeast'), unit), 'number')}
        {type !== undefined && renderInput('most', withUnit(t('table.atMost'), unit), 'number')}
        <label>
          <span>{t('table.order')}</span>
          <select value={filters.sort ?? ''} onChange={event => set('sort', event.currentTarget.value)}>
            <option value="">{t('table.latestFirst')}</option>
            <option value="up">{t('table.earliestFirst')}</option>
          </select>
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked={filters.state === 'trashed'}
            onChange={event => set('state', event.currentTarget.checked ? 'trashed' : '')}
          />
          <span>{t('table.trash')}</span>
        </label>
        {isFiltered && (
          <button
            type="button"
            class="text"
            onClick={() => onChange(Object.fromEntries(Object.keys(filters).map(name => [name, undefined])))}
          >
            {t('table.clear')}
          </button>
        )}
      </form>
    </details>
  )
  return (
    <>
      {form}
      {isFiltered && (
        <ul class="active">
          {listActive(filters, tree).map(([name, label]) => (
            <li key={name}>
              <button
                type="button"
                aria-label={t('table.removeFilter', { filter: label })}
                onClick={() => onChange({ [name]: undefined })}
              >
                {label}
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

/**
 * Returns the filters that are set, with a label for each. The order, and whose data is shown, are not among
 * them.
 */
function listActive(filters: Filters, tree: Tree | undefined): (readonly [keyof Filters, string])[] {
  const { from, least, most, state, streams, text, to, type } = filters
  const labels: readonly (readonly [keyof Filters, string | false | undefined])[] = [
    // Whose data is shown is chosen elsewhere.
    [
      'streams',
      streams && !streams.startsWith(':_followed:') && toPlainText(tree?.find(streams)?.name ?? streams)
    ],
    ['type', type && getTypeName(type)],
    ['text', text && t('table.words', { text: toPlainText(text) })],
    ['from', from && `${t('table.start')} ${formatLocalDate(from)}`],
    ['to', to && `${t('table.end')} ${formatLocalDate(to)}`],
    ['least', least && `${t('table.atLeast')} ${toPlainText(least)}`],
    ['most', most && `${t('table.atMost')} ${toPlainText(most)}`],
    ['state', state && t('table.inTrash')]
  ]
  return labels.flatMap(([name, label]) => (label ? [[name, label] as const] : []))
}

function withUnit(label: string, unit: string): string {
  return unit === '' ? label : `${label} (${unit})`
}

/** Formats a local date such as `2026-11-22`; anything else stays as it is. */
function formatLocalDate(date: string): string {
  const start = parseDayStart(date)
  return start === undefined ? toPlainText(date) : formatDay(start)
}

/** Returns the event types in a stream and those below it; all types if none is given. */
export function listTypes(
  facts: readonly Fact[],
  tree: Tree | undefined,
  stream: string | undefined
): string[] {
  const ids = stream === undefined ? undefined : new Set(tree?.listSubtreeIds(stream))
  return [...new Set(facts.filter(({ streamId }) => ids?.has(streamId) ?? true).map(fact => fact.type))]
}
