/** Mapping of the columns of a table: sample rows, and a choice for each column. */
import { t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { ColumnChoice, roles, toOptionValue } from './column-choice.js'
import type { ColumnMapping, Mapping, Table } from './model.js'

interface Props {
  readonly tables: readonly Table[]
  /** Changed mappings, by header. */
  readonly mappings: Readonly<Record<string, Mapping>>
  readonly onChange: (mappings: Readonly<Record<string, Mapping>>) => void
}

/** Shows the mapping of each table. `onChange` receives the mappings of all tables, by header. */
export function Tables({ tables, mappings, onChange }: Props) {
  return (
    <>
      {tables.map(table => (
        <MappingTable
          key={table.header}
          table={table}
          mapping={mappings[table.header] ?? table.mapping}
          onChange={mapping => onChange({ ...mappings, [table.header]: mapping })}
        />
      ))}
    </>
  )
}

interface OneProps {
  readonly table: Table
  readonly mapping: Mapping | undefined
  readonly onChange: (mapping: Mapping) => void
}

/** Shows a sample of a table with a choice for each column, and how dates and decimals are read. */
function MappingTable({ table, mapping = { time: -1, values: [] }, onChange }: OneProps) {
  const choose = (column: number, choice: string): void => onChange(setChoice(mapping, table, column, choice))
  return (
    <section class="card mapping">
      <h2>{t('import.columns')}</h2>
      <p class="hint">{t('import.columnsLead')}</p>
      <div class="scroll" tabIndex={0} role="region" aria-label={t('import.columns')}>
        <table>
          <thead>
            <tr>
              {table.columns.map((name, column) => (
                <th key={column} scope="col">
                  <label>
                    <span aria-hidden="true">{getColumnName(name, column)}</span>
                    <ColumnChoice
                      name={getColumnName(name, column)}
                      value={getChoice(mapping, column)}
                      own={mapping.values}
                      onChange={choice => choose(column, choice)}
                    />
                  </label>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {table.sample.map((cells, row) => (
              <tr key={row}>
                {table.columns.map((_, column) => (
                  <td key={column}>{toPlainText(cells[column] ?? '').slice(0, 60)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {(table.questions ?? []).map(({ asks, cells }) => (
        <p key={`${asks} ${cells[0]}`} class="question" role="status">
          {t(`import.question.${asks}`, { examples: toPlainText(cells.slice(0, 3).join(' · ')) })}
        </p>
      ))}
      {(['dates', 'decimals'] as const).map(asks => (
        <label key={asks} class="reading">
          <span>{t(`import.${asks}`)}</span>
          <select
            value={mapping[asks] ?? ''}
            onChange={event => {
              const { [asks]: _, ...others } = mapping
              const answer = event.currentTarget.value
              onChange(answer === '' ? others : { ...others, [asks]: answer })
            }}
          >
            <option value="">{t('import.asFound')}</option>
            {interpretations[asks].map(answer => (
              <option key={answer} value={answer}>
                {t(`import.reading.${answer}`)}
              </option>
            ))}
          </select>
        </label>
      ))}
    </section>
  )
}

/** Interpretations of ambiguous dates and numbers. */
const interpretations = { dates: ['dmy', 'mdy', 'ymd'], decimals: ['point', 'comma'] } as const

function getColumnName(name: string, column: number): string {
  return toPlainText(name) || t('import.column', { number: column + 1 })
}

function getChoice(mapping: Mapping, column: number): string {
  const role = roles.find(each => mapping[each] === column)
  if (role) return role
  const value = mapping.values.find(each => each.column === column)
  return value ? toOptionValue(value) : ''
}

/**
 * Returns the mapping with another meaning of a column: a role, or a type and field separated by a space; an empty
 * choice means none.
 */
function setChoice(mapping: Mapping, { columns }: Table, column: number, choice: string): Mapping {
  const values = mapping.values.filter(each => each.column !== column)
  const cleared: Mapping = {
    time: mapping.time === column ? -1 : mapping.time,
    values,
    ...(mapping.dates === undefined ? {} : { dates: mapping.dates }),
    ...(mapping.decimals === undefined ? {} : { decimals: mapping.decimals })
  }
  const kept = roles
    .filter(role => role !== 'time' && mapping[role] !== undefined && mapping[role] !== column)
    .map(role => [role, mapping[role]])
  const others: Mapping = { ...cleared, ...(Object.fromEntries(kept) as Partial<Mapping>) }
  if (choice === '') return others
  const role = roles.find(each => each === choice)
  if (role) return { ...others, [role]: column }
  const [type = '', field = ''] = choice.split(' ')
  const sibling = values.find(each => each.type === type && each.field !== undefined)
  const value: ColumnMapping = {
    column,
    type,
    // Columns with fields of one measurement share a stream.
    stream: field !== '' && sibling ? sibling.stream : columns[column]!.slice(0, 100) || type,
    ...(field === '' ? {} : { field })
  }
  return { ...others, values: [...values, value].toSorted((a, b) => a.column - b.column) }
}
