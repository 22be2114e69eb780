/** What the fields of any JSON mean: the bodies that wait for it, or the mapping that there is. (docs/connect/json.md) */
import { t } from '../../../language.js'
import { Form } from '../../../parts/form.js'
import { toPlainText } from '../../../plain-text.js'
import { useAccount } from '../../data/account.js'
import { getUnit } from '../../data/units.js'
import { lazy } from '../../parts/lazy.js'
import { showToast } from '../../parts/toast.js'
import type { Connection, Mapping } from '../connections.js'

interface Props {
  readonly connection: Connection
  readonly onChanged: () => void
}

const MappingEditor = lazy(async () => (await import('./mapping-editor.js')).MappingEditor)
const maxShown = 50

/**
 * Shows the editor for waiting bodies, or up to 50 parts of the current mapping with a button that removes it.
 */
export function MappingCard({ connection, onChanged }: Props) {
  const { client } = useAccount()
  const { id, mapping, waiting } = connection
  return (
    <section class="card panel" aria-labelledby="mapping">
      <h2 id="mapping">{t('connect.map.title')}</h2>
      {mapping !== undefined ? (
        <>
          <ul class="mappings">
            {[mapping]
              .flat()
              .slice(0, maxShown)
              .map((each, index) => (
                <li key={index}>{describe(each)}</li>
              ))}
          </ul>
          <p class="hint">{t('connect.map.changeHint')}</p>
          <Form
            isQuiet
            action={t('connect.map.change')}
            onSubmit={async () => {
              await client.call('connections.update', { id, update: { mapping: null } })
              onChanged()
              showToast(t('connect.map.changed'))
            }}
          />
        </>
      ) : waiting.length === 0 ? (
        <p>{t('connect.map.empty')}</p>
      ) : (
        <>
          <p>{t('connect.map.waiting', { count: waiting.length })}</p>
          <MappingEditor key={id} connection={connection} onChanged={onChanged} />
        </>
      )}
    </section>
  )
}

/** Describes a mapping: `/kg: Weight (kg)`. */
function describe({ fields, items = '', stream = '', type, unit, value }: Mapping): string {
  const symbol = unit ?? getUnit(type)?.symbol ?? ''
  const name = toPlainText(stream)
  const pointers = fields ? Object.values(fields).map(pointer => value + pointer) : [value]
  const shown = toPlainText(pointers.map(pointer => items + pointer).join(', '))
  return `${shown || t('connect.map.body')}${name === '' ? '' : `: ${name}`}${symbol === '' ? '' : ` (${toPlainText(symbol)})`}`
}
