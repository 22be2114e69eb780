/** The table page: events as rows, filtered, sorted, and downloadable as shown. */
import './style.css'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { t } from '../../language.js'
import { Skeleton } from '../parts/skeleton.js'
import { ReadProblem } from '../parts/read-problem.js'
import { useAccount } from '../data/account.js'
import type { EventTypes } from '../data/model.js'
import { useStore } from '../data/store.js'
import { buildHref, navigate, type PageProps } from '../route.js'
import { createColumns, listFields } from './columns.js'
import { WhoseChoice } from '../shell/whose.js'
import { Download } from './download.js'
import { FilterBar, listTypes } from './filter-bar.js'
import { useKindNames } from './kinds.js'
import { getBound, parseFilters, toParams, type Changes } from './filters.js'
import { useRows } from './rows.js'
import { VirtualTable } from './virtual-table.js'

/** Shows the filters and rows. Filters are kept in the URL; more rows are read as the user scrolls. */
export default function TablePage({ query }: PageProps) {
  const account = useAccount()
  const tree = useStore(account.tree)
  const facts = useStore(account.facts)
  const [types, setTypes] = useState<EventTypes>()
  useEffect(() => {
    account.readEventTypes().then(setTypes, () => setTypes({}))
  }, [account])
  const filters = parseFilters(query)
  const schema = filters.type === undefined ? undefined : types?.[filters.type]
  const [first] = listFields(schema)
  const bound = getBound(filters, facts, tree, first)
  const params = toParams(filters, tree?.roots.map(({ id }) => id) ?? [], bound)
  const rows = useRows(params, JSON.stringify(filters))
  const nameKind = useKindNames()
  const shown = { type: filters.type, schema, nameKind }
  const columns = useMemo(
    () => createColumns(tree, shown, rows.events),
    [tree, filters.type, schema, nameKind, rows.events]
  )
  const change = (changes: Changes): void =>
    navigate(buildHref(account.username, { page: 'table', query: { ...filters, ...changes } }), true)

  const isFiltered = Object.keys(filters).some(name => name !== 'sort')
  return (
    <>
      <header class="head">
        <h1>{t('shell.table')}</h1>
        <p class="count num" role="status">
          {rows.events.length > 0 &&
            t(rows.isWhole ? 'table.count' : 'table.countMore', { count: rows.events.length })}
        </p>
        <WhoseChoice of={filters.streams} onChoose={streams => change({ streams })} />
        <Download
          params={params}
          // Rows that are not loaded may have values in further columns.
          columns={rows.isWhole ? columns : createColumns(tree, shown)}
          types={filters.type === undefined ? listTypes(facts, tree, filters.streams) : [filters.type]}
        />
      </header>
      <FilterBar filters={filters} unit={bound.unit} facts={facts} tree={tree} onChange={change} />
      {rows.problem !== undefined && <ReadProblem message={rows.problem} />}
      {!rows.isWhole && rows.events.length === 0 && rows.problem === undefined && <Skeleton kind="rows" />}
      {rows.isWhole && rows.events.length === 0 && rows.problem === undefined && (
        <p class="lead">{t(isFiltered ? 'table.none' : 'table.noneAtAll')}</p>
      )}
      {rows.events.length > 0 && (
        <VirtualTable
          events={rows.events}
          columns={columns}
          isUp={filters.sort === 'up'}
          onSort={() => change({ sort: filters.sort === 'up' ? undefined : 'up' })}
          onEnd={rows.loadMore}
        />
      )}
    </>
  )
}
